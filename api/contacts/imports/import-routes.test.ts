import { expect, test } from 'vitest'
import { apiOfThisFile, type PersonLogin } from '../../../test/fixtures/api-fixture.ts'
import { callEmail, type MailTenant, mailTenant } from '../../../test/fixtures/email-fixture.ts'
import { waitUntil } from '../../../test/fixtures/processes/wait-until.ts'

const api = apiOfThisFile()
const admin = '/api/v1/admin/email'

interface Desk {
  readonly tenant: MailTenant
  readonly login: PersonLogin
}

async function desk(): Promise<Desk> {
  const tenant = await mailTenant(api())
  return { tenant, login: await api().login(tenant, 'member') }
}

const call = (
  { login }: Desk,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
) => api().call(admin + path, { method, login, ...(body === undefined ? {} : { body }) })

const add = (at: Desk, email: string, more: object = {}) =>
  call(at, 'POST', '/contacts', { newsletter: at.tenant.direct, email, ...more })

async function upload({ login }: Desk, query: object, csv: string | Buffer) {
  const response = await api().app.inject({
    method: 'POST',
    url: `${admin}/imports?${new URLSearchParams(query as Record<string, string>)}`,
    headers: { cookie: login.cookie, 'x-csrf-token': login.csrf, 'content-type': 'text/csv' },
    payload: csv,
  })
  return { status: response.statusCode, body: response.json() }
}

async function finished(at: Desk, id: string) {
  let body: { state: string } | undefined
  await waitUntil('the import is over', async () => {
    body = (await call(at, 'GET', `/imports/${id}`)).body
    return body !== undefined && ['done', 'failed'].includes(body.state)
  })
  return body as unknown as Record<string, unknown> & { problems: unknown[] }
}

test('a dry run changes nothing, the import does, and importing again changes nothing', async () => {
  const at = await desk()
  await call(at, 'POST', '/blocked-domains', { domain: 'blocked.example' })
  await add(at, 'left@example.com')
  const { items } = (await call(at, 'GET', '/contacts')).body
  await call(at, 'POST', `/contacts/${items[0].id}/unsubscribe`)
  await callEmail(api(), at.tenant, '/contacts', {
    method: 'POST',
    body: { newsletter: at.tenant.confirming, email: 'angry@example.com' },
  })
  await api().pool.query(
    `update addresses set suppressed_at = now(), suppression_cause = 'complaint' where email_key = 'angry@example.com' and organization_id = $1`,
    [at.tenant.organizationId],
  )
  const csv = [
    '\ufeffE-Mail;Full name;attr.city;Status;Note',
    'ADA@example.com;Ada;Rome;;x',
    '"bob@example.com";"Bob; ""the"" Builder";;subscribed;',
    'ada@example.com;Again;;;',
    'cy@example.com;;;unsubscribed;',
    'left@example.com;Left;;subscribed;',
    'angry@example.com;;;;',
    'none;;;;',
    'eve@mail.blocked.example;;;;',
    'dan@example.com;;;cleaned;',
    '',
  ].join('\r\n')
  const query = { newsletter: at.tenant.direct, dryRun: 'true', source: 'old tool' }
  const tried = await upload(at, query, csv)
  expect(tried).toMatchObject({ status: 202, body: { dryRun: true, ignoredColumns: ['Note'] } })
  const numbers = {
    state: 'done',
    progress: 1,
    rows: 9,
    created: 4,
    updated: 0,
    unchanged: 2,
    refused: 3,
  }
  const report = await finished(at, tried.body.id)
  expect(report).toMatchObject(numbers)
  expect(report.problems).toEqual([
    { line: 8, field: 'email', rule: 'must be an email address, with an @ in it' },
    { line: 10, field: 'status', rule: expect.any(String) },
    { line: 9, field: 'email', rule: 'must not be on a blocked domain' },
  ])
  expect((await call(at, 'GET', '/contacts?query=bob')).body.items).toEqual([])

  expect((await call(at, 'POST', `/imports/${tried.body.id}/start`)).status).toBe(202)
  expect(await finished(at, tried.body.id)).toMatchObject({ ...numbers, dryRun: false })
  expect((await call(at, 'POST', `/imports/${tried.body.id}/start`)).status).toBe(409)
  const { rows } = await api().pool.query(
    `select a.email, c.status, c.status_before, c.name, c.attribs, c.source from contacts c
     join addresses a on a.id = c.address_id join newsletters n on n.id = c.newsletter_id where n.slug = $1 order by a.email_key`,
    [at.tenant.direct],
  )
  const plain = { status_before: null, attribs: {}, source: 'old tool' }
  expect(rows).toEqual([
    {
      ...plain,
      email: 'ADA@example.com',
      status: 'subscribed',
      name: 'Ada',
      attribs: { city: 'Rome' },
    },
    {
      ...plain,
      email: 'angry@example.com',
      status: 'complained',
      status_before: 'subscribed',
      name: null,
    },
    { ...plain, email: 'bob@example.com', status: 'subscribed', name: 'Bob; "the" Builder' },
    { ...plain, email: 'cy@example.com', status: 'unsubscribed', name: null },
    {
      ...plain,
      email: 'left@example.com',
      status: 'unsubscribed',
      name: null,
      source: expect.any(String),
    },
  ])
  const again = await upload(at, { ...query, dryRun: 'false' }, csv)
  expect(await finished(at, again.body.id)).toMatchObject({
    created: 0,
    updated: 0,
    unchanged: 6,
    refused: 3,
  })
  const { rows: files } = await api().pool.query('select from contact_import_chunks')
  expect(files).toEqual([])
})

test('the import of a killed process continues after its last committed batch', async () => {
  const at = await desk()
  const csv = `email,name\n${Array.from({ length: 1_200 }, (_, no) => `r${no}@example.com,R${no}`).join('\n')}\n`
  const tried = await upload(at, { newsletter: at.tenant.direct, dryRun: 'true' }, csv)
  await finished(at, tried.body.id)
  // The state that another process left: 700 rows are counted, and the lease has expired.
  await api().pool.query(
    `update contact_imports set dry_run = false, state = 'running', lease_until = now() - interval '1 second', rows_done = 700,
       created = 700, updated = 0, unchanged = 0, finished_at = null where id = $1`,
    [tried.body.id],
  )
  const other = await upload(at, { newsletter: at.tenant.direct }, 'email\nx@example.com\n')
  await finished(at, other.body.id)
  expect(await finished(at, tried.body.id)).toMatchObject({
    rows: 1_200,
    created: 1_200,
    refused: 0,
  })
  const { items } = (await call(at, 'GET', '/contacts?query=r7')).body
  expect(items.some((item: { email: string }) => item.email === 'r699@example.com')).toBe(false)
  expect((await call(at, 'GET', '/contacts?query=r700%40')).body.items).toHaveLength(1)
})

// biome-ignore format: the columns are the point
test.each([
  ['an empty file', {}, '', 'file'],
  ['no column of addresses', {}, 'a,b\n1,2\n', 'mapping.email'],
  ['a mapping to no column', { mapping: '{"name":"Nope"}' }, 'email,b\n', 'mapping.name'],
  ['a mapping that is no JSON', { mapping: '{' }, 'email\n', 'mapping'],
  ['a mapping to a bad key', { mapping: '{"attribs":{"a.b":"b"}}' }, 'email,b\n', 'mapping.attribs.a.b'],
] as const)('400 for %s', async (_name, query, csv, field) => {
  const at = await desk()
  const reply = await upload(at, { newsletter: at.tenant.direct, ...query }, csv)
  expect([reply.status, reply.body.details[0].field]).toEqual([400, field])
})

test('invalid CSV fails with the line, and Latin-1 is converted', async () => {
  const at = await desk()
  const query = { newsletter: at.tenant.direct }
  const broken = await upload(at, query, 'email,name\na@example.com,"open\n')
  expect(await finished(at, broken.body.id)).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('line'),
  })
  const latin = await upload(
    at,
    query,
    Buffer.from('email,name\nb@example.com,J\xfcrgen\nc@example.com,C\n', 'latin1'),
  )
  expect(await finished(at, latin.body.id)).toMatchObject({
    state: 'done',
    created: 2,
    refused: 0,
    encoding: 'windows-1252',
  })
  expect((await call(at, 'GET', '/contacts?query=b%40')).body.items[0].name).toBe('Jürgen')
})

test('an export can be imported, and no cell is a formula', async () => {
  const at = await desk()
  await add(at, 'q@example.com', { name: 'A "quoted", name', attribs: { n: 1, t: 'x,y' } })
  await add(at, 'f@example.com', { name: '=cmd()' })
  const exported = await call(at, 'GET', `/contacts/export?newsletter=${at.tenant.direct}`)
  expect(exported.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(exported.body).toContain(`,'=cmd(),`)
  const target = { newsletter: at.tenant.confirming }
  const done = await upload(at, target, exported.body)
  expect(await finished(at, done.body.id)).toMatchObject({ created: 2, refused: 0 })
  const { items } = (await call(at, 'GET', `/contacts?newsletter=${at.tenant.confirming}`)).body
  const names = items.map((item: { name: string }) => item.name)
  expect(names.sort()).toEqual(['=cmd()', 'A "quoted", name'])
  expect(items.find((item: { email: string }) => item.email === 'q@example.com').attribs).toEqual({
    n: 1,
    t: 'x,y',
  })
})

test('a dry run of many batches counts a repeated address as the import does', async () => {
  const at = await desk()
  const batch = Array.from({ length: 600 }, (_, no) => `r${no}@example.com,Reader ${no}`)
  const repeated = ['R3@Example.com,Reader 3', 'r4@example.com,Reader 4']
  const csv = ['email,name', ...batch, ...repeated].join('\n')
  const query = { newsletter: at.tenant.direct, fileName: 'list\t2026.csv', dryRun: 'true' }
  const tried = await upload(at, query, csv)
  const expected = {
    fileName: 'list 2026.csv',
    rows: 602,
    created: 600,
    unchanged: 2,
    updated: 0,
    refused: 0,
  }
  expect(await finished(at, tried.body.id)).toMatchObject(expected)
  const done = await upload(at, { ...query, dryRun: 'false' }, csv)
  expect(await finished(at, done.body.id)).toMatchObject(expected)
  const { items } = (await call(at, 'GET', '/imports')).body
  expect(items.map(({ fileName }: { fileName: string }) => fileName)).toEqual([
    'list 2026.csv',
    'list 2026.csv',
  ])
})
