import { expect, test } from 'vitest'
import { apiOfThisFile, fixtureNowMs, type PersonLogin } from '../../test/fixtures/api-fixture.ts'
import { emailsTo, type MailTenant, mailTenant } from '../../test/fixtures/email-fixture.ts'

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

async function auditOf({ tenant }: Desk): Promise<string[]> {
  const { rows } = await api().pool.query(
    `select action from audit_log where organization_id = $1 and action like any($2) order by id`,
    [tenant.organizationId, ['contact%', 'blocked%']],
  )
  return rows.map(({ action }) => action)
}

test('contacts are created, searched, updated, unsubscribed and deleted, with an audit entry each', async () => {
  const at = await desk()
  const added = await add(at, 'Ada@example.com', { name: 'Ada L.', attribs: { city: 'Rome' } })
  expect([added.status, added.body.status, added.body.email]).toEqual([
    201,
    'subscribed',
    'Ada@example.com',
  ])
  expect((await add(at, 'ada@example.com')).status).toBe(200)
  await add(at, 'bob_1@example.org', { newsletter: at.tenant.confirming })
  expect(await emailsTo(api(), 'bob_1@example.org')).toHaveLength(1)
  await add(at, 'agreed@example.org', { newsletter: at.tenant.confirming, confirmed: true })
  expect(await emailsTo(api(), 'agreed@example.org')).toEqual([])

  const emails = async (query: string) =>
    (await call(at, 'GET', `/contacts?${query}`)).body.items.map(
      (item: { email: string }) => item.email,
    )
  expect(await emails('')).toEqual(['agreed@example.org', 'bob_1@example.org', 'Ada@example.com'])
  expect(await emails('query=DA%40exam')).toEqual(['Ada@example.com'])
  expect(await emails('query=ada+l')).toEqual(['Ada@example.com'])
  expect(await emails('query=b_1')).toEqual(['bob_1@example.org'])
  expect(await emails('query=b%25')).toEqual([])
  expect(await emails('status=pending')).toEqual(['bob_1@example.org'])
  expect(await emails(`newsletter=${at.tenant.direct}`)).toEqual(['Ada@example.com'])
  const first = await call(at, 'GET', '/contacts?limit=2')
  expect(await emails(`limit=2&cursor=${first.body.next_cursor}`)).toEqual(['Ada@example.com'])

  const path = `/contacts/${added.body.id}`
  const changed = await call(at, 'PATCH', path, { name: '', attribs: { plan: 'pro', city: null } })
  expect(changed.body).toMatchObject({ name: null, attribs: { plan: 'pro' } })
  expect((await call(at, 'PATCH', path, { attribs: {} })).body.name).toBeNull()
  expect((await call(at, 'POST', `${path}/unsubscribe`)).body.status).toBe('unsubscribed')
  expect((await call(at, 'POST', `${path}/unsubscribe`)).body.status).toBe('unsubscribed')
  const { body: detail } = await call(at, 'GET', path)
  expect(detail.events.map((event: { kind: string }) => event.kind).sort()).toEqual([
    'changed',
    'changed',
    'created',
    'signed_up_again',
    'unsubscribed',
  ])
  expect((await call(at, 'DELETE', path)).status).toBe(204)
  expect((await call(at, 'GET', path)).status).toBe(404)
  expect(await auditOf(at)).toEqual([
    'contact.added',
    'contact.added',
    'contact.added',
    'contact.added',
    'contact.changed',
    'contact.changed',
    'contact.unsubscribed',
    'contact.removed',
  ])
})

test('contacts of another organization are not found, and a viewer cannot change any', async () => {
  const [at, other] = [await desk(), await desk()]
  const { id } = (await add(other, 'theirs@example.com')).body
  for (const [method, path] of [
    ['GET', `/contacts/${id}`],
    ['PATCH', `/contacts/${id}`],
    ['POST', `/contacts/${id}/unsubscribe`],
    ['POST', `/contacts/${id}/erase`],
    ['DELETE', `/contacts/${id}`],
    ['GET', `/contacts?newsletter=${other.tenant.direct}`],
    ['GET', `/contacts/export?newsletter=${other.tenant.direct}`],
    ['GET', `/contacts/numbers?newsletter=${other.tenant.direct}`],
  ] as const) {
    expect((await call(at, method, path, method === 'PATCH' ? {} : undefined)).status, path).toBe(
      404,
    )
  }
  expect((await call(at, 'GET', '/contacts')).body.items).toEqual([])
  const viewer = { ...at, login: await api().login(at.tenant, 'viewer') }
  expect((await call(viewer, 'GET', '/contacts')).status).toBe(200)
  for (const path of ['/contacts/export', '/contacts']) {
    const method = path === '/contacts' ? 'POST' : 'GET'
    expect((await call(viewer, method, path, method === 'POST' ? {} : undefined)).status).toBe(403)
  }
  expect((await api().call(`${admin}/contacts`)).status).toBe(401)
})

test('contacts are counted by status and by day', async () => {
  const at = await desk()
  const { id } = (await add(at, 'one@example.com')).body
  await add(at, 'two@example.com')
  await call(at, 'POST', `/contacts/${id}/unsubscribe`)
  const { body } = await call(at, 'GET', `/contacts/numbers?newsletter=${at.tenant.direct}`)
  expect(body.byStatus).toEqual({
    pending: 0,
    subscribed: 1,
    unsubscribed: 1,
    bounced: 0,
    complained: 0,
  })
  expect(body.days).toHaveLength(30)
  const today = new Date(fixtureNowMs).toISOString().slice(0, 10)
  expect(body.days.at(-1)).toEqual({ day: today, signups: 2, confirmed: 0, unsubscribed: 1 })
})

test('domains are blocked once, a public suffix only when confirmed, and unblocked', async () => {
  const at = await desk()
  const block = (domain: string, more = {}) =>
    call(at, 'POST', '/blocked-domains', { domain, ...more })
  expect((await block('@MÜNCHEN.example.')).body.domain).toBe('xn--mnchen-3ya.example')
  expect((await block('xn--mnchen-3ya.example')).status).toBe(200)
  expect((await block('co.uk')).body.details[0]).toMatchObject({ field: 'domain' })
  expect((await block('co.uk', { confirmed: true })).status).toBe(201)
  expect((await block('example.co.uk')).status).toBe(201)
  for (const domain of ['com', 'a b.example', '192.0.2.1', ''])
    expect((await block(domain)).status).toBe(400)
  const list = await call(at, 'GET', '/blocked-domains')
  expect(list.body.items.map((item: { domain: string }) => item.domain)).toEqual([
    'co.uk',
    'example.co.uk',
    'xn--mnchen-3ya.example',
  ])
  expect((await add(at, 'ada@mail.example.co.uk')).body.code).toBe('blocked_domain')
  expect(
    (await call(at, 'DELETE', `/blocked-domains/${encodeURIComponent('münchen.example')}`)).status,
  ).toBe(204)
  expect((await call(at, 'DELETE', '/blocked-domains/xn--mnchen-3ya.example')).status).toBe(404)
  expect((await add(at, 'ada@münchen.example')).status).toBe(201)
})
