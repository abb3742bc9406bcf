/** Suppression lists are decoded like contact files. */
import { expect, test } from 'vitest'
import { apiOfThisFile } from '../../../../test/fixtures/api-fixture.ts'
import { type ImportDesk, importDesk } from '../../../../test/fixtures/import-fixture.ts'

const api = apiOfThisFile()
const list = 'Email Address;Name\nzoe@example.com;Zoë\njuergen@münchen.example;Jürgen\n'

async function suppress({ login }: ImportDesk, payload: Buffer) {
  const response = await api().app.inject({
    method: 'POST',
    url: '/api/v1/admin/email/suppressions/import',
    headers: { cookie: login.cookie, 'x-csrf-token': login.csrf, 'content-type': 'text/csv' },
    payload,
  })
  return { status: response.statusCode, body: response.json() }
}

test.each([
  ['UTF-8', Buffer.from(list)],
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${list}`)],
  ['UTF-16 LE', Buffer.from(`\ufeff${list}`, 'utf16le')],
  ['UTF-16 BE', Buffer.from(`\ufeff${list}`, 'utf16le').swap16()],
  ['Latin-1', Buffer.from(list, 'latin1')],
])('a list in %s suppresses its addresses', async (_name, file) => {
  const desk = await importDesk(api())
  const { status, body } = await suppress(desk, file)
  expect([status, body]).toMatchObject([200, { rows: 2, added: 2, invalid: 0 }])
  const { rows } = await api().pool.query(
    'select email_key from addresses where organization_id = $1 order by email_key',
    [desk.tenant.organizationId],
  )
  expect(rows.map(({ email_key }) => email_key)).toEqual([
    'juergen@xn--mnchen-3ya.example',
    'zoe@example.com',
  ])
})

test.each([
  ['NUL', Buffer.from('email\na@example.com\0\n')],
  ['two encodings', Buffer.concat([Buffer.from('email\nZoë\n'), Buffer.from([0xfc, 0x0a])])],
])('a list with %s is 400 with the line', async (_name, file) => {
  const { status, body } = await suppress(await importDesk(api()), file)
  expect([status, body.error]).toEqual([400, expect.stringMatching(/line \d/)])
})
