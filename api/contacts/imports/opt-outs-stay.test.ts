import { expect, test } from 'vitest'
import { apiOfThisFile } from '../../../test/fixtures/api-fixture.ts'
import {
  importContacts,
  importDesk,
  storedStates,
  uploadContacts,
} from '../../../test/fixtures/import-fixture.ts'

const api = apiOfThisFile()

test('unsubscribed rows unsubscribe contacts of any status, and no row subscribes them again', async () => {
  const desk = await importDesk(api())
  const names = ['in', 'out', 'wait', 'dead']
  const first =
    'email,status\nin@b.co,subscribed\nout@b.co,unsubscribed\nwait@b.co,pending\ndead@b.co,bounced\n'
  await importContacts(api(), desk, first)
  const all = (status: string) =>
    `email,status,name\n${names.map((name) => `${name}@b.co,${status},${'n'.repeat(300)}`).join('\n')}\n`
  const states = async () =>
    (await storedStates(api(), desk)).map(({ status, before }) => [status, before])
  const before = await states()
  await importContacts(api(), desk, all('subscribed').replaceAll('n'.repeat(300), ''))
  expect(await states()).toEqual(before)
  // The names are too long, but the rows still unsubscribe, and the names are reported.
  const report = await importContacts(api(), desk, all('unsubscribed'), { updateExisting: 'true' })
  expect(report).toMatchObject({ updated: 3, unchanged: 1, refused: 0, warned: 4 })
  expect(await states()).toEqual([
    ['bounced', 'unsubscribed'],
    ['unsubscribed', null],
    ['unsubscribed', null],
    ['unsubscribed', null],
  ])
})

test('a contact on a domain that was blocked later can still be unsubscribed', async () => {
  const desk = await importDesk(api())
  await importContacts(api(), desk, 'email\na@later.example\n')
  const block = { method: 'POST', login: desk.login, body: { domain: 'later.example' } } as const
  await api().call('/api/v1/admin/email/blocked-domains', block)
  const report = await importContacts(
    api(),
    desk,
    'email,status\na@later.example,unsubscribed\nb@later.example,unsubscribed\n',
  )
  expect(report).toMatchObject({ updated: 1, refused: 1 })
  expect(await storedStates(api(), desk)).toMatchObject([{ status: 'unsubscribed' }])
})

test('JSON follows the same rules as CSV', async () => {
  const desk = await importDesk(api())
  const send = (json: unknown, query: Record<string, string> = {}) =>
    uploadContacts(
      api(),
      desk,
      typeof json === 'string' ? json : JSON.stringify(json),
      { newsletter: desk.tenant.direct, ...query },
      'application/json',
    )
  const contacts = [
    { email: 'in@example.com', name: '=cmd()', attribs: { city: 'Rome' }, opted_out: false },
    { email: 'out@example.com', opted_out: true },
  ]
  const refused = await send(contacts)
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('opted_out')])
  expect(await storedStates(api(), desk)).toEqual([])
  for (const wrong of [
    '{',
    '"x"',
    '[]',
    '[1]',
    '[null]',
    '{"a":1}',
    '[{}]',
    `${'['.repeat(9_999)}${']'.repeat(9_999)}`,
  ]) {
    expect((await send(wrong)).status, wrong.slice(0, 20)).toBe(400)
  }
  const mapping = JSON.stringify({ unsubscribed: 'opted_out' })
  const done = await send({ contacts }, { mapping })
  expect(done.status).toBe(202)
  const csv = 'email\nlast@example.com\n'
  await importContacts(api(), desk, csv)
  expect(await storedStates(api(), desk)).toMatchObject([
    { email: 'in@example.com', status: 'subscribed', name: '=cmd()', attribs: { city: 'Rome' } },
    { email: 'last@example.com' },
    { email: 'out@example.com', status: 'unsubscribed' },
  ])
})

test('an opt-out column stops an upload and stores nothing; ignored, it is reported', async () => {
  const desk = await importDesk(api())
  const query = { newsletter: desk.tenant.direct }
  const csv = 'email,gdpr consent,City\na@example.com,no,Rome\n'
  const { status, body } = await uploadContacts(api(), desk, csv, query)
  expect([status, body.error]).toEqual([400, expect.stringContaining('ignore=gdpr%20consent')])
  const { rows } = await api().pool.query(
    'select from contact_imports where organization_id = $1',
    [desk.tenant.organizationId],
  )
  expect(rows).toEqual([])
  const report = await importContacts(api(), desk, csv, { ignore: 'gdpr consent' })
  expect(report).toMatchObject({ created: 1, ignoredColumns: ['gdpr consent', 'City'] })
  const unknown = await uploadContacts(api(), desk, csv, { ...query, mapping: '{"optout":"City"}' })
  expect([unknown.status, unknown.body.error]).toEqual([400, expect.stringContaining('optout')])
})
