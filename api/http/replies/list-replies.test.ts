import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant
let login: PersonLogin
let path: string

beforeAll(async () => {
  tenant = await api().tenant('Shop')
  login = await api().login(tenant)
  // The reply of `/me` names all of them.
  await api().pool.query(
    `with made as (
       insert into organizations (id, name)
       select gen_random_uuid(), repeat('x', 90) from generate_series(1, 20) returning id
     ) insert into memberships (organization_id, person_id, role) select id, $1, 'viewer' from made`,
    [login.personId],
  )
  path = `/api/v1/projects/${tenant.project.id}/issues`
  for (let count = 0; count < 5; count++) {
    await api().addIssue(tenant, { title: `Error: ${'long '.repeat(60)}` })
  }
})

function get(url = path, headers: Record<string, string> = {}) {
  return api().app.inject({ method: 'GET', url, headers: { cookie: login.cookie, ...headers } })
}

describe('a list', () => {
  test('has a tag, and is not sent again until it changes', async () => {
    const first = await get()
    expect(first.headers).toMatchObject({
      'cache-control': 'private, no-cache',
      vary: 'accept-encoding',
    })
    const tag = String(first.headers.etag)
    const again = await get(path, { 'if-none-match': tag })
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', tag])
    await api().addIssue(tenant, {})
    const changed = await get(path, { 'if-none-match': tag })
    expect(changed.statusCode).toBe(200)
    expect(changed.headers.etag).not.toBe(tag)
  })

  test('is compressed for clients that accept it, with the same tag', async () => {
    const plain = await get()
    const { headers, rawPayload } = await get(path, { 'accept-encoding': 'gzip, deflate, br' })
    expect([headers['content-encoding'], headers.etag]).toEqual(['gzip', plain.headers.etag])
    expect(Number(headers['content-length'])).toBe(rawPayload.length)
    expect(gunzipSync(rawPayload).toString()).toBe(plain.body)
    expect(rawPayload.length).toBeLessThan(plain.rawPayload.length / 3)
  })

  test('of another person is not answered from a tag without a check', async () => {
    const tag = String((await get()).headers.etag)
    const stranger = await api().login(await api().tenant('Other'))
    const reply = await get(path, { cookie: stranger.cookie, 'if-none-match': tag })
    expect([reply.statusCode, reply.headers.etag]).toEqual([404, undefined])
  })
})

test('lists of a portal, which pages of other sites read, stay as they are', async () => {
  const portal = `/api/v1/p/${tenant.project.projectKey}/ideas`
  for (const title of ['Dark mode', 'Export as CSV']) {
    const body = { title, description: 'y'.repeat(900), enduser_id: 'x' }
    await api().call(`${portal}/suggest`, { method: 'POST', body })
  }
  const { headers, body } = await get(portal, { 'accept-encoding': 'gzip' })
  expect(body.length).toBeGreaterThan(2_000)
  expect([headers['content-encoding'], headers.etag, headers.vary]).toEqual([
    undefined,
    undefined,
    'Origin',
  ])
})

// biome-ignore format: the columns are the point
test.each([
  ['a long reply with the CSRF token',   '/api/v1/me',              200],
  ['the same long reply at the root',          '/me',                     200],
  ['a short reply',                 '/api/v1/organization',    200],
  ['an error',                      '/api/v1/nothing',         404],
])('%s has neither, and is not stored', async (what, url, status) => {
  const { headers, statusCode, body } = await get(url, { 'accept-encoding': 'gzip', 'if-none-match': '*' })
  expect(statusCode).toBe(status)
  expect(body.length > 2_000).toBe(what.includes('long'))
  expect([headers.etag, headers['content-encoding'], headers['cache-control']]).toEqual([
    undefined,
    undefined,
    'no-store',
  ])
})

test('a write has neither', async () => {
  const url = `/api/v1/projects/${tenant.project.id}/keys`
  const reply = await api().app.inject({
    method: 'POST',
    url,
    headers: { cookie: login.cookie, 'x-csrf-token': login.csrf, 'accept-encoding': 'gzip' },
    payload: { label: 'worker' },
  })
  expect(reply.statusCode).toBe(201)
  expect([reply.headers.etag, reply.headers['content-encoding']]).toEqual([undefined, undefined])
})
