import { describe, expect, test } from 'vitest'
import type { Quota } from '#schemas/rest/quota.ts'
import { callSettings } from './fixtures/change-settings.ts'
import { runClient } from './fixtures/processes/run-client.ts'
import { commonProduct } from './fixtures/processes/running-product.ts'
import { waitUntil } from './fixtures/processes/wait-until.ts'
import type { TestProject } from './fixtures/test-project.ts'

const product = commonProduct()

/**
 * Ingest is notified of a change in Postgres, usually within two seconds. Its cache expires after
 * a minute.
 */
const eventOf = (event: object) => `{}\n{"type":"event"}\n${JSON.stringify(event)}`

async function put(project: TestProject, settings: object): Promise<void> {
  const answer = await callSettings(product(), project, {
    method: 'PUT',
    path: '/settings',
    body: settings,
  })
  expect(answer).toMatchObject({ status: 200 })
}

describe('scrubbing', () => {
  test('secrets that an SDK sends are stored nowhere', async () => {
    const project = await product().projectAtOnce('secrets')
    const { eventIds } = await runClient('secrets-sdk.mjs', project.dsn)
    await project.hasEvents(1)
    const event = await project.event(eventIds[0]!)
    const text = JSON.stringify(event)
    expect(text).not.toContain('secret-of')
    expect(text).not.toContain('4111')
    expect(event.title).toBe('Error: refused: password=[Filtered]')
    const payload = event.payload as unknown as {
      readonly notes: readonly { readonly field: string; readonly rule: string }[]
    }
    expect(payload).toMatchObject({
      request: {
        url: 'https://shop.example.test/pay',
        query_string: 'access_token=[Filtered]&step=2',
        cookies: [['sid', '[Filtered]']],
        data: '{"card":"[Filtered]","password":"[Filtered]","total":12}',
      },
      contexts: { gateway: { clientSecret: '[Filtered]', name: 'acme' } },
      extra: { employee: 'asked by EMP-123456' },
      user: { id: '17', ip_address: '192.0.2.7' },
    })
    expect(payload.notes).toContainEqual({
      field: 'request.headers.Authorization',
      rule: 'removed by scrubbing: name of its key',
    })

    const rows = await product().rowsOf<Record<string, unknown>>(
      'select * from events where project_id = {id: UInt64}',
      { id: project.dsnId },
    )
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain('secret-of')
    const issues = await product().postgres.query('select * from issues where project_id = $1', [
      project.dsnId,
    ])
    expect(JSON.stringify(issues.rows)).not.toContain('secret-of')
  })

  test("a project's own scrubbing rules and IP address setting apply", async () => {
    const project = await product().projectAtOnce('own rules')
    await put(project, {
      scrubbing: { ip_addresses: true, patterns: ['EMP-\\d{6}'], sensitive_keys: ['gate*'] },
    })
    const { eventIds } = await runClient('secrets-sdk.mjs', project.dsn)
    await project.hasEvents(1)
    const event = await project.event(eventIds[0]!)
    expect(JSON.stringify(event)).not.toContain('192.0.2.7')
    expect(event.payload).toMatchObject({
      contexts: { gateway: { name: '[Filtered]' } },
      extra: { employee: 'asked by [Filtered]' },
      user: { id: '17' },
    })
  })
})

describe('filters', () => {
  test('a filtered event is counted, uses no quota and creates no issue', async () => {
    const project = await product().projectAtOnce('filters')
    await put(project, {
      filters: { error_messages: ['*ResizeObserver loop*'], web_crawlers: true, localhost: true },
    })
    const agent = { headers: { 'User-Agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' } }
    for (const event of [
      { message: 'ResizeObserver loop limit exceeded' },
      { message: 'seen by a crawler', request: agent },
      { message: 'at home', request: { url: 'http://localhost:3000/' } },
      { message: 'a real one' },
    ]) {
      expect((await project.send({ body: eventOf(event) })).status).toBe(200)
    }
    await project.hasAccounting({
      'accepted error': 1,
      'filtered filtered:error_messages error': 1,
      'filtered filtered:web_crawlers error': 1,
      'filtered filtered:localhost error': 1,
    })
    await project.hasEvents(1)
    expect((await project.issues()).map(({ title }) => title)).toEqual(['a real one'])
    await waitUntil('the units of filtered events', async () => {
      const { body } = await project.api<Quota>('/quota')
      return body.used === 1
    })
  })
})

test('events get the retention of their project', async () => {
  const project = await product().projectAtOnce('retention')
  await put(project, { retention_days: 7 })
  await project.send({ body: eventOf({ message: 'short-lived' }) })
  await project.hasEvents(1)
  const rows = await product().rowsOf(
    'select retention_days as days from events where project_id = {id: UInt64}',
    { id: project.dsnId },
  )
  expect(rows).toEqual([{ days: 7 }])
})

describe('allowed origins', () => {
  test('only pages of the allowed origins and programs without an origin may send', async () => {
    const project = await product().projectAtOnce('origins')
    const body = eventOf({ message: 'from a page' })
    const statusFrom = async (origin?: string) => {
      const headers = origin === undefined ? {} : { origin }
      return (await project.send({ body, headers })).status
    }
    expect(await statusFrom('https://evil.example')).toBe(200)
    await put(project, { allowed_origins: ['https://*.example.com'] })
    await waitUntil(
      'requests of other pages to be refused',
      async () => (await statusFrom('https://evil.example')) === 403,
    )
    expect(await statusFrom('https://shop.example.com')).toBe(200)
    expect(await statusFrom()).toBe(200)
  })
})

test('creating, disabling and deleting a DSN key takes effect at once', async () => {
  const project = await product().projectAtOnce('keys')
  const call = (method: string, path: string, body?: unknown) =>
    callSettings(product(), project, { method, path, body })
  const made = await call('POST', '/keys', { label: 'cli' })
  expect(made).toMatchObject({ status: 201, body: { label: 'cli', status: 'active' } })
  const { id, dsn, public_key: publicKey } = made.body
  expect(new URL(dsn).host).toBe(new URL(product().stack.urls.ingest).host)
  const path = `/api/${project.dsnId}/envelope/?sentry_key=${publicKey}`
  const answers = (status: number) =>
    waitUntil(`the answer ${status}`, async () => {
      const answer = await project.send({ path, body: eventOf({ message: 'by key' }) })
      return answer.status === status
    })
  await answers(200)
  await call('PATCH', `/keys/${id}`, { status: 'disabled' })
  await answers(403)
  await call('PATCH', `/keys/${id}`, { status: 'active' })
  await answers(200)
  expect((await call('DELETE', `/keys/${id}`)).status).toBe(204)
  await answers(403)
})

describe('grouping rules', () => {
  test('an event that a rule is about gets the fingerprint of the rule, and its title', async () => {
    const project = await product().projectAtOnce('grouping-rules')
    await put(project, {
      grouping: {
        fingerprint_rules:
          '# slow\ntype:Timeout* -> slow, {{ transaction }} title="Slow: {{ transaction }}"',
      },
    })
    const failed = (type: string, value: string) =>
      eventOf({ transaction: 'GET /cart', exception: { values: [{ type, value }] } })
    for (const body of [
      failed('TimeoutError', 'stock'),
      failed('TimeoutException', 'payment'),
      failed('KeyError', 'stock'),
    ]) {
      expect((await project.send({ body })).status).toBe(200)
    }
    await project.hasEvents(3)
    const counts = (await project.issues()).map(({ title, count }) => `${title} ${count}`)
    expect(counts.sort()).toEqual(['KeyError: stock 1', 'Slow: GET /cart 2'])
  })
})
