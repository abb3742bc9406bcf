import { describe, expect, test } from 'vitest'
import {
  type Answer,
  apiOfThisFile,
  type Call,
  type Tenant,
} from '../../../test/fixtures/api-fixture.ts'
import { buildApp } from '../../app.ts'

const api = apiOfThisFile()
const nobody = '5a3f6c1e-2b4d-4e6f-8a9b-0c1d2e3f4a5b'
let addresses = 0
/** Each test counts for itself. */
const newAddress = () => {
  addresses += 1
  return `192.0.2.${addresses}`
}

async function portal(name: string, settings: Record<string, unknown> = {}) {
  const tenant = await api().tenant(name)
  const keys = Object.keys(settings)
  await api().pool.query(
    `insert into portal_settings (project_id${keys.map((key) => `, ${key}`).join('')})
     values ($1${keys.map((_, index) => `, $${index + 2}`).join('')})`,
    [tenant.project.id, ...Object.values(settings)],
  )
  const { projectKey } = tenant.project
  const address = newAddress()
  const at = (path: string, call: Call = {}) =>
    api().call(`/api/v1/p/${projectKey}${path}`, { address, ...call })
  return { tenant, at }
}

async function addIdea(tenant: Tenant, title = 'Dark mode'): Promise<string> {
  const { rows } = await api().pool.query<{ id: string }>(
    `insert into ideas (id, project_id, title, description) values (gen_random_uuid(), $1, $2, 'Please.') returning id`,
    [tenant.project.id, title],
  )
  return rows[0]!.id
}

const corsOf = ({ headers }: Answer) => headers['access-control-allow-origin']

describe('the first failed check decides', () => {
  test('limit, project, origin, fields, idea', async () => {
    const { tenant, at } = await portal('order', { allowed_origins: ['https://app.example.com'] })
    const ideaId = await addIdea(tenant)
    const address = newAddress()
    const vote = (path: string, headers: Record<string, string>, body: unknown) =>
      at(path, { method: 'POST', address, headers, body })
    const stranger = { origin: 'https://evil.example' }
    const unknown = `/api/v1/p/${nobody}/ideas/${ideaId}/vote`
    const noProject = await api().call(unknown, {
      method: 'POST',
      address,
      headers: stranger,
      body: {},
    })
    expect(noProject.body.code).toBe('not_found')
    expect((await vote(`/ideas/${nobody}/vote`, stranger, {})).body.code).toBe('origin_not_allowed')
    expect((await vote(`/ideas/${nobody}/vote`, {}, {})).body).toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'enduser_id' }],
    })
    expect((await vote(`/ideas/${nobody}/vote`, {}, { enduser_id: 'a' })).status).toBe(404)
    expect((await vote(`/ideas/${ideaId}/vote`, {}, { enduser_id: 'a' })).body).toEqual({
      result: 'created',
    })
    const sixth = await vote(`/ideas/${ideaId}/vote`, stranger, {})
    expect(sixth.status).toBe(429)
    expect(sixth.body).toMatchObject({ code: 'rate_limited', details: [{ field: 'vote' }] })
    expect(sixth.headers).toMatchObject({ 'ratelimit-limit': '5', 'ratelimit-remaining': '0' })
    expect(Number(sixth.headers['retry-after'])).toBeGreaterThan(0)
  })

  test.each(['not-a-uuid', nobody, '..%2f..'])('the project key %s names nothing', async (key) => {
    const { status, headers } = await api().call(`/api/v1/p/${key}/ideas`)
    expect(status).toBe(404)
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('the id of a project is not the key of its portal', async () => {
    const { tenant } = await portal('two-names')
    expect((await api().call(`/api/v1/p/${tenant.project.id}/ideas`)).status).toBe(404)
  })
})

describe('origins', () => {
  const list = [
    'https://app.example.com',
    'https://*.example.org',
    'https://xn--bcher-kva.example',
    'http://localhost:*',
  ]
  // biome-ignore format: the columns are the point
  test.each([
    ['on the list                 ', 'https://app.example.com', true],
    ['in capitals                 ', 'HTTPS://APP.EXAMPLE.COM', true],
    ['with its default port       ', 'https://app.example.com:443', true],
    ['with another port           ', 'https://app.example.com:8443', false],
    ['with another scheme         ', 'http://app.example.com', false],
    ['with a trailing dot         ', 'https://app.example.com.', false],
    ['with a path                 ', 'https://app.example.com/x', false],
    ['a longer host               ', 'https://app.example.com.evil.test', false],
    ['a host that ends alike      ', 'https://evilapp.example.com', false],
    ['a subdomain of a star       ', 'https://a.b.example.org', true],
    ['the star’s own domain       ', 'https://example.org', false],
    ['a host that ends like a star', 'https://evilexample.org', false],
    ['a user name before it       ', 'https://a@app.example.com', false],
    ['an A-label                  ', 'https://xn--bcher-kva.example', true],
    ['any port of localhost       ', 'http://localhost:5173', true],
    ['a page without an origin    ', 'null', false],
    ['the hosted page             ', 'http://127.0.0.1:8031', true],
    ['no header                   ', undefined, true],
  ] as const)('%s', async (_name, origin, allowed) => {
    const { at } = await portal(`origin ${String(origin)}`, { allowed_origins: list })
    const headers: Record<string, string> = origin === undefined ? {} : { origin }
    const got = await at('/ideas', { headers })
    expect(got.status).toBe(allowed ? 200 : 403)
    expect(corsOf(got)).toBe(allowed ? origin : undefined)
    expect(got.headers['vary']).toContain('Origin')
    expect(got.headers['access-control-allow-credentials']).toBeUndefined()
  })

  test('without a list every page may call and can read errors', async () => {
    const { at } = await portal('open')
    const headers = { origin: 'https://any.example' }
    const wanted = ['/ideas?limit=0', `/ideas/${nobody}`, '/ideas', '/ideas?limit=101']
    const got = await Promise.all(wanted.map((path) => at(path, { headers })))
    expect(got.map(({ status }) => status)).toEqual([400, 404, 200, 400])
    for (const answer of got) {
      expect(corsOf(answer)).toBe('https://any.example')
      expect(answer.headers['access-control-expose-headers']).toContain('Retry-After')
    }
  })

  test('a preflight reply lists methods and headers, and does not count as a read', async () => {
    const { at, tenant } = await portal('preflight', { allowed_origins: list })
    const url = `/api/v1/p/${tenant.project.projectKey}/ideas/${nobody}/vote`
    const ask = (origin: string) =>
      api().app.inject({
        method: 'OPTIONS',
        url,
        headers: { origin, 'access-control-request-method': 'POST' },
      })
    const good = await ask('https://app.example.com')
    expect(good.statusCode).toBe(204)
    expect(good.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example.com',
      'access-control-max-age': '600',
    })
    expect(good.headers['access-control-allow-methods']).toContain('DELETE')
    expect((await ask('https://evil.example')).statusCode).toBe(403)
    expect((await at('/ideas')).headers['ratelimit-remaining']).toBe('119')
  })

  test('an unknown path is 404 and not 405, although preflights match it', async () => {
    const { at } = await portal('paths')
    expect((await at('/nothing')).status).toBe(404)
  })
})

describe('limits', () => {
  const voteOf = (ideaId: string, user: string, more: Call = {}) =>
    [`/ideas/${ideaId}/vote`, { method: 'POST', body: { enduser_id: user }, ...more }] as const

  test('votes and unvotes share five a minute; reads, suggestions and other addresses do not', async () => {
    const { tenant, at } = await portal('five')
    const ideaId = await addIdea(tenant)
    const unvote = () => at(`/ideas/${ideaId}/vote?enduser_id=a`, { method: 'DELETE' })
    const statuses: number[] = []
    for (let index = 0; index < 3; index += 1) {
      statuses.push((await at(...voteOf(ideaId, 'a'))).status, (await unvote()).status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    expect((await at('/ideas')).status).toBe(200)
    const suggestion = { title: 'A title', description: 'Words', enduser_id: 'a' }
    expect((await at('/ideas/suggest', { method: 'POST', body: suggestion })).status).toBe(201)
    expect((await at(...voteOf(ideaId, 'b', { address: newAddress() }))).status).toBe(200)
    api().time.nowMs += 59_999
    expect((await at(...voteOf(ideaId, 'a'))).status).toBe(429)
    api().time.nowMs += 1
    expect((await at(...voteOf(ideaId, 'a'))).status).toBe(200)
  })

  test('the 121st read of a minute is refused, HEAD and errors counted', async () => {
    const { at, tenant } = await portal('reads')
    const address = newAddress()
    for (let index = 0; index < 119; index += 1) await at('/tags', { address })
    await at('/ideas?limit=x', { address })
    const url = `/api/v1/p/${tenant.project.projectKey}/tags`
    const head = await api().app.inject({ method: 'HEAD', url, remoteAddress: address })
    expect(head.statusCode).toBe(429)
    expect(head.body).toBe('')
    expect((await at('/tags', { address })).body.error).toContain('120 reads a minute')
  })

  test('a forged X-Forwarded-For does not change the client address', async () => {
    const { tenant, at } = await portal('forged')
    const ideaId = await addIdea(tenant)
    const answers: number[] = []
    for (let index = 0; index < 6; index += 1) {
      const headers = {
        'x-forwarded-for': `203.0.113.${index}`,
        forwarded: `for=203.0.113.${index}`,
      }
      answers.push((await at(...voteOf(ideaId, `u${index}`, { headers }))).status)
    }
    expect(answers).toEqual([200, 200, 200, 200, 200, 429])
  })

  test('two addresses of one IPv6 network share, of two networks they do not', async () => {
    const { tenant, at } = await portal('networks')
    const ideaId = await addIdea(tenant)
    const from = (address: string) => at(...voteOf(ideaId, 'a', { address }))
    for (let index = 1; index <= 5; index += 1) await from(`2001:db8:0:1::${index}`)
    expect((await from('2001:db8:0:1:ffff::')).status).toBe(429)
    expect((await from('2001:db8:0:2::1')).status).toBe(200)
  })

  test('two processes share the limit of writes', async () => {
    const { tenant, at } = await portal('processes')
    const ideaId = await addIdea(tenant)
    const address = newAddress()
    const second = await buildApp(api().ctx)
    const path = `/api/v1/p/${tenant.project.projectKey}/ideas/${ideaId}/vote`
    const there = (user: string) =>
      api().call(path, { method: 'POST', address, body: { enduser_id: user } }, second)
    const here = (user: string) => at(...voteOf(ideaId, user, { address }))
    const answers = await Promise.all([
      here('a'),
      there('b'),
      here('c'),
      there('d'),
      here('e'),
      there('f'),
      here('g'),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429])
    await second.close()
  })

  test('a raised limit of votes is for one portal only', async () => {
    const { tenant, at } = await portal('office', { votes_per_minute_max: 8 })
    const other = await portal('elsewhere')
    const address = newAddress()
    const ideaId = await addIdea(tenant)
    const statuses: number[] = []
    for (let index = 0; index < 9; index += 1) {
      statuses.push((await at(...voteOf(ideaId, `u${index}`, { address }))).status)
    }
    expect(statuses).toEqual([...Array.from({ length: 8 }, () => 200), 429])
    const there = await addIdea(other.tenant)
    const limit = (await other.at(...voteOf(there, 'a', { address }))).headers['ratelimit-limit']
    expect(limit).toBe('5')
  })
})
