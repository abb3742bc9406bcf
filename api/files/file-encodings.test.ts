/** Uploaded lists of all kinds are decoded by the same rules. */
import { describe, expect, test } from 'vitest'
import { apiOfThisFile, type PersonLogin } from '../../test/fixtures/api-fixture.ts'
import { type MailTenant, mailTenant } from '../../test/fixtures/email-fixture.ts'

const api = apiOfThisFile()

interface Desk {
  readonly tenant: MailTenant
  readonly login: PersonLogin
}

async function desk(): Promise<Desk> {
  const tenant = await mailTenant(api())
  return { tenant, login: await api().login(tenant) }
}

async function upload({ login }: Desk, url: string, payload: Buffer) {
  const response = await api().app.inject({
    method: 'POST',
    url,
    headers: { cookie: login.cookie, 'x-csrf-token': login.csrf, 'content-type': 'text/csv' },
    payload,
  })
  return { status: response.statusCode, body: response.json() }
}

const lists = [
  {
    name: 'suppressions',
    url: () => '/api/v1/admin/email/suppressions/import',
    text: 'Email Address;Name\nzoe@example.com;Zoë\njuergen@münchen.example;Jürgen\n',
    stored: 'select email_key as text from addresses where organization_id = $1 order by 1',
    want: ['juergen@xn--mnchen-3ya.example', 'zoe@example.com'],
    report: { rows: 2, added: 2, invalid: 0 },
  },
  {
    name: 'ideas',
    url: ({ project }: MailTenant) => `/api/v1/admin/portal/${project.id}/ideas/import`,
    text: 'title,description\nZoë,Größe\nJürgen,Maß\n',
    report: { read: 2, imported: 2, skipped: 0 },
    stored:
      'select title as text from ideas join projects p on p.id = project_id where p.organization_id = $1 order by 1',
    want: ['Jürgen', 'Zoë'],
  },
  {
    name: 'feedback',
    url: ({ project }: MailTenant) => `/api/v1/admin/feedback/${project.id}/import`,
    text: 'message\nZoë\nJürgen\n',
    report: { rows: 2, added: 2, refused: 0 },
    stored:
      'select message as text from feedback join projects p on p.dsn_id = project_id where p.organization_id = $1 order by 1',
    want: ['Jürgen', 'Zoë'],
  },
]

describe.each(lists)('$name', ({ url, text, stored, want, report }) => {
  test.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16 LE', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 BE', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['Latin-1', Buffer.from(text, 'latin1')],
  ])('a list in %s is stored', async (_name, file) => {
    const at = await desk()
    const { status, body } = await upload(at, url(at.tenant), file)
    expect([status, body]).toMatchObject([200, report])
    const { rows } = await api().pool.query(stored, [at.tenant.organizationId])
    expect(rows.map((row) => row.text)).toEqual(want)
  })

  test.each([
    ['NUL', Buffer.from(`${text}a@example.com\0\n`)],
    ['two encodings', Buffer.concat([Buffer.from(text), Buffer.from([0xfc, 0x0a])])],
  ])('a list with %s is 400 with the line, and nothing is stored', async (_name, file) => {
    const at = await desk()
    const { status, body } = await upload(at, url(at.tenant), file)
    expect([status, body.error]).toEqual([400, expect.stringMatching(/line \d/)])
    expect((await api().pool.query(stored, [at.tenant.organizationId])).rows).toEqual([])
  })
})
