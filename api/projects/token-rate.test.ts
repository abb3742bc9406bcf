import { beforeAll, describe, expect, test } from 'vitest'
import { apiOfThisFile, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { buildApp } from '../app.ts'

const api = apiOfThisFile()
let tenant: Tenant

beforeAll(async () => {
  tenant = await api().tenant('Shop')
})

describe('the rate limit of a token', () => {
  test('the 301st request in a minute is 429; other tokens still work', async () => {
    const busy = await api().tenant('Busy')
    const first = await api().of(busy, '/releases')
    expect(first.headers).toMatchObject({ 'ratelimit-limit': '300', 'ratelimit-remaining': '299' })
    expect(Number(first.headers['ratelimit-reset'])).toBeGreaterThan(0)
    for (let call = 2; call <= 300; call += 1) {
      const { status } = await api().of(busy, '/releases', { headers: { 'x-call': String(call) } })
      expect(status).toBe(200)
    }
    const refused = await api().of(busy, '/releases')
    expect(refused.status).toBe(429)
    expect(refused.body).toEqual({ error: 'Too many requests.', code: 'rate_limited' })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await api().of(busy, '/issues')).status).toBe(429)
    expect((await api().of(tenant, '/releases')).status).toBe(200)
  })

  test('guesses are counted by address', async () => {
    // An app of its own: the guesses of the other tests share their address.
    const app = await buildApp(api().ctx)
    const path = `/api/v1/projects/${tenant.project.id}/issues`
    const token = `oat_${'b'.repeat(43)}`
    for (let call = 1; call <= 300; call += 1) {
      expect((await api().call(path, { token }, app)).status).toBe(401)
    }
    const refused = await api().call(path, { token }, app)
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await api().call(path, { token: tenant.token }, app)).status).toBe(200)
    await app.close()
  })
})
