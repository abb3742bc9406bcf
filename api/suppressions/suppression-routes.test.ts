import { beforeEach, expect, test } from 'vitest'
import { erasedKey } from '#platform/person-data/erased-key.ts'
import {
  type Answer,
  apiOfThisFile,
  type PersonLogin,
  type Tenant,
} from '../../test/fixtures/api-fixture.ts'

const fixture = apiOfThisFile()
let tenant: Tenant
let owner: PersonLogin
let tenantCount = 0
beforeEach(async () => {
  tenantCount += 1
  tenant = await fixture().tenant(`Suppressions ${tenantCount}`)
  owner = await fixture().login(tenant)
})

const admin = '/api/v1/admin/email'

function get(path: string, login = owner): Promise<Answer> {
  return fixture().call(`${admin}${path}`, { login })
}

function post(path: string, body: unknown, login = owner): Promise<Answer> {
  return fixture().call(`${admin}${path}`, { method: 'POST', body, login })
}

function importCsv(text: string, query = ''): Promise<Answer> {
  const headers = { 'content-type': 'text/csv' }
  return fixture().call(`${admin}/suppressions/import${query}`, {
    method: 'POST',
    login: owner,
    headers,
    body: text,
  })
}

async function actions(): Promise<string[]> {
  const { rows } = await fixture().pool.query(
    'select action from audit_log where organization_id = $1 order by id',
    [tenant.organizationId],
  )
  return rows.map(({ action }) => action)
}

test('an address is suppressed once, listed, and lifted with a reason', async () => {
  const added = await post('/suppressions', { email: 'Ada@example.test', reason: 'by phone' })
  expect(added).toMatchObject({
    status: 201,
    body: { email: 'Ada@example.test', suppressed: true, cause: 'manual' },
  })
  expect((await post('/suppressions', { email: 'ada@EXAMPLE.test' })).status).toBe(200)
  expect((await get('/suppressions?query=ADA@')).body.items).toMatchObject([
    { email: 'Ada@example.test', cause: 'manual', source: 'by phone', campaignId: null },
  ])
  expect((await get('/suppressions?cause=hard')).body.items).toEqual([])
  expect((await post('/suppressions/lift', { email: 'ada@example.test' })).status).toBe(400)
  const lifted = await post('/suppressions/lift', { email: 'ada@example.test', reason: 'again' })
  expect(lifted.body).toEqual({ email: 'ada@example.test', suppressed: false, cause: null })
  expect(
    (await post('/suppressions/lift', { email: 'ada@example.test', reason: 'x' })).status,
  ).toBe(404)
  expect(await actions()).toEqual(['suppression.added', 'suppression.lifted'])
})

test('lifting a complaint needs `complaint: true`', async () => {
  await post('/suppressions', { email: 'ada@example.test' })
  await fixture().pool.query(
    `update addresses set suppression_cause = 'complaint' where organization_id = $1`,
    [tenant.organizationId],
  )
  const lift = { email: 'ada@example.test', reason: 'asked for it' }
  expect(await post('/suppressions/lift', lift)).toMatchObject({
    status: 409,
    body: { details: [{ field: 'complaint' }] },
  })
  expect((await post('/suppressions/lift', { ...lift, complaint: true })).status).toBe(200)
})

test('the next page of the list continues after the first', async () => {
  for (const name of ['a', 'b', 'c']) {
    fixture().time.nowMs += 1
    await post('/suppressions', { email: `${name}@example.test` })
  }
  const one = await get('/suppressions?limit=2')
  const two = await get(`/suppressions?limit=2&cursor=${one.body.next_cursor}`)
  const emails = [...one.body.items, ...two.body.items].map(({ email }) => email)
  expect(emails).toEqual(['c@example.test', 'b@example.test', 'a@example.test'])
})

test('a list of another service is imported once, by its column, without invalid rows', async () => {
  await post('/suppressions', { email: 'known@example.test' })
  const text =
    '\ufeffname;E-Mail\nAda;Ada@example.test\nBob;bob@\nAda;ada@example.test\nK;known@example.test\n'
  const want = { rows: 4, added: 1, unchanged: 2, invalid: 1 }
  expect((await importCsv(text, '?dryRun=true')).body).toMatchObject({ ...want, dryRun: true })
  expect((await get('/suppressions')).body.items).toHaveLength(1)
  const report = await importCsv(text)
  expect(report.body).toMatchObject({ ...want, mistakes: [{ row: 2 }] })
  expect((await importCsv(text)).body).toMatchObject({ added: 0, unchanged: 3 })
  expect((await importCsv('ada@example.test\nnew@example.test')).body).toMatchObject({ added: 1 })
  expect((await importCsv('a,"b\n')).status).toBe(400)
  expect((await get('/suppressions')).body.items).toHaveLength(3)
})

test('a viewer can only read, and another organization sees nothing', async () => {
  await post('/suppressions', { email: 'ada@example.test' })
  const viewer = await fixture().login(tenant, 'viewer')
  expect((await get('/suppressions', viewer)).body.items).toHaveLength(1)
  expect((await post('/suppressions', { email: 'x@example.test' }, viewer)).status).toBe(403)
  expect(
    (await post('/suppressions/lift', { email: 'ada@example.test', reason: 'x' }, viewer)).status,
  ).toBe(403)
  const other = await fixture().login(await fixture().tenant(`Other ${tenantCount}`))
  expect((await get('/suppressions', other)).body.items).toEqual([])
  expect(
    (await post('/suppressions/lift', { email: 'ada@example.test', reason: 'x' }, other)).status,
  ).toBe(404)
})

test('the export is read by the import of another organization, and leaves erased addresses out', async () => {
  for (const email of ['ada@example.com', '=cmd@example.com', 'gone@example.com']) {
    await post('/suppressions', { email, reason: 'asked, "by" phone' })
  }
  await fixture().pool.query(
    `update addresses set email = null, email_key = $2 where email_key = 'gone@example.com' and organization_id = $1`,
    [tenant.organizationId, erasedKey(tenant.organizationId, 'gone@example.com')],
  )
  const file = await get('/suppressions/export?cause=manual')
  expect(file.status).toBe(200)
  const text = String(file.body)
  const [head, ...lines] = text.trim().split('\r\n')
  expect(head).toBe('email,cause,source,suppressedAt')
  expect(lines.map((line) => line.split(',')[0])).toEqual(["'=cmd@example.com", 'ada@example.com'])
  expect(text).toContain('"asked, ""by"" phone"')
  expect((await get('/suppressions/export?cause=hard')).body).toBe(`${head}\r\n`)
  expect(await actions()).toContain('suppression.exported')
  const viewer = await fixture().login(tenant, 'viewer')
  expect((await get('/suppressions/export', viewer)).status).toBe(403)

  const other = await fixture().tenant('Moves in')
  const imported = await fixture().call(`${admin}/suppressions/import?dryRun=true`, {
    method: 'POST',
    login: await fixture().login(other),
    headers: { 'content-type': 'text/csv' },
    body: text,
  })
  expect(imported.body).toMatchObject({ rows: 2, added: 2, invalid: 0 })
  await fixture().call(`${admin}/suppressions/import`, {
    method: 'POST',
    login: await fixture().login(other),
    headers: { 'content-type': 'text/csv' },
    body: text,
  })
  const { rows } = await fixture().pool.query(
    'select email from addresses where organization_id = $1 order by email',
    [other.organizationId],
  )
  expect(rows.map(({ email }) => email)).toEqual(['=cmd@example.com', 'ada@example.com'])
})
