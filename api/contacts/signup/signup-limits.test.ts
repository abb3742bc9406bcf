import { expect, test } from 'vitest'
import {
  apiOfThisFile,
  appWithoutStores,
  fixtureNowMs,
} from '../../../test/fixtures/api-fixture.ts'
import { callEmail, type MailTenant, mailTenant } from '../../../test/fixtures/email-fixture.ts'

const api = apiOfThisFile()
const minuteMs = 60_000

const signUp = (tenant: MailTenant, body: object) =>
  callEmail(api(), tenant, '/contacts', { method: 'POST', body })

test('a visitor has five signups in ten minutes over all newsletters; others are not affected', async () => {
  const tenant = await mailTenant(api())
  const from = (ip: string | undefined, no: number) =>
    signUp(tenant, {
      newsletter: no % 2 === 0 ? tenant.direct : tenant.confirming,
      email: `v${no}@example.com`,
      ip,
    })
  for (let no = 0; no < 5; no++) expect((await from(`2001:db8:1:2::${no}`, no)).status).toBe(201)
  const refused = await from('2001:db8:1:2:ffff::', 5)
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  expect(refused.headers).toMatchObject({ 'ratelimit-limit': '5', 'retry-after': '600' })
  expect((await from('2001:db8:1:3::', 6)).status).toBe(201)
  expect((await from(undefined, 7)).status).toBe(201)
  // Requests that are refused for other reasons do not count.
  const bad = { newsletter: tenant.direct, email: 'none', ip: '198.51.100.1' }
  for (let no = 0; no < 6; no++) {
    const reply = await signUp(tenant, bad)
    expect([reply.status, reply.headers['ratelimit-remaining']]).toEqual([400, '593'])
  }
  expect((await from('198.51.100.1', 8)).headers['ratelimit-remaining']).toBe('4')
})

test('an organization has six hundred signups in an hour', async () => {
  const tenant = await mailTenant(api())
  await api().pool.query(
    `insert into rate_windows values ($1, array_fill($2::timestamptz, array[599]), $2::timestamptz + interval '1 hour')`,
    [`signups:${tenant.organizationId}`, new Date(fixtureNowMs - 30 * minuteMs)],
  )
  const email = (no: number) => ({ newsletter: tenant.direct, email: `h${no}@example.com` })
  const last = await signUp(tenant, { ...email(1), ip: '198.51.100.2' })
  expect([last.status, last.headers['ratelimit-remaining']]).toEqual([201, '0'])
  const refused = await signUp(tenant, email(2))
  expect(refused.status).toBe(429)
  expect(refused.headers['retry-after']).toBe('1800')
  expect(refused.body.error).toContain('600 signups')
})

test('a signup without Postgres is 503', async () => {
  const app = await appWithoutStores()
  const headers = { authorization: `Bearer emk_${'a'.repeat(43)}` }
  const body = { newsletter: 'x', email: 'a@b.cd' }
  const reply = await api().call('/api/v1/contacts', { method: 'POST', body, headers }, app)
  expect([reply.status, reply.body.code]).toEqual([503, 'unavailable'])
  await app.close()
})
