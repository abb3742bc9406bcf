import { expect, test } from 'vitest'
import { appWithoutStores } from '../../test/fixtures/api-fixture.ts'
import { metricsOf } from './health.ts'

test('one address has 300 health checks a minute, both paths together, and another has its own', async () => {
  const app = await appWithoutStores()
  const ask = (url: string, remoteAddress: string) => app.inject({ url, remoteAddress })
  for (let index = 0; index < 299; index += 1) await ask('/health', '192.0.2.1')
  expect((await ask('/health/ready', '192.0.2.1')).statusCode).toBe(503)
  const refused = await ask('/health', '192.0.2.1')
  expect(refused.statusCode).toBe(429)
  expect(refused.json()).toMatchObject({ code: 'rate_limited' })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await ask('/health', '192.0.2.2')).json()).toEqual({ status: 'ok' })
  await app.close()
})

test('the public port has no metrics', async () => {
  const app = await appWithoutStores()
  const reply = await app.inject({ url: '/metrics' })
  const unknown = await app.inject({ url: '/nothing' })
  expect([reply.statusCode, reply.json()]).toEqual([404, unknown.json()])
  expect(await metricsOf(app).metrics()).toContain('api_portal_addresses_forgotten_total 0')
  await app.close()
})

test('every reply has its own request id, for every header that the client sends', async () => {
  const app = await appWithoutStores()
  for (const url of ['/health', '/nothing', '/%ff', '/api/v1/p/x/ideas']) {
    const { headers } = await app.inject({
      url,
      headers: { 'x-request-id': 'mine', 'request-id': 'mine' },
    })
    expect(headers['x-request-id'], url).toMatch(/^[0-9a-f-]{36}$/)
  }
  await app.close()
})

test('without Postgres, reads and writes of a portal are 503', async () => {
  const app = await appWithoutStores()
  const key = '5a3f6c1e-2b4d-4e6f-8a9b-0c1d2e3f4a5b'
  const read = await app.inject({ url: `/api/v1/p/${key}/ideas` })
  expect([read.statusCode, read.json().code]).toEqual([503, 'unavailable'])
  const write = await app.inject({
    method: 'POST',
    url: `/api/v1/p/${key}/ideas/suggest`,
    payload: {},
  })
  expect([write.statusCode, write.json().code]).toEqual([503, 'unavailable'])
  expect(write.headers['retry-after']).toBeDefined()
  await app.close()
})
