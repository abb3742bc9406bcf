/**
 * Every ingest endpoint: its response to a valid request, its refusals, and the outcomes that it
 * records. Failures of the bus or a store (503) are tested beside the HTTP server.
 */
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { RawRequest } from '../fixtures/processes/raw-http.ts'
import { runClient } from '../fixtures/processes/run-client.ts'
import { commonProduct } from '../fixtures/processes/running-product.ts'
import type { Accounting, TestProject } from '../fixtures/test-project.ts'

const product = commonProduct()
const id = '5f0c1d2e3a4b4c5d8e9f001122334455'
// Ingest corrects sessions by `sent_at`, and rejects old ones.
const sentAt = new Date().toISOString()
const oneEvent = `{"event_id":"${id}"}\n{"type":"event"}\n{"message":"a"}`
const csp =
  '{"csp-report":{"effective-directive":"img-src","blocked-uri":"https://a.example/x.png"}}'
const cspType = { 'Content-Type': 'application/csp-report' }
const json = { 'Content-Type': 'application/json' }
const logs =
  '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1795215633495000000","severityNumber":17,"body":{"stringValue":"no soup"}}]}]}]}'

/** The path after `/api/{project_id}/`, and a request that it accepts. */
interface Endpoint {
  readonly end: string
  readonly method?: 'GET'
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  readonly answer: RegExp
  readonly accounting: Accounting
}

const madeId = /^\{"id":"[0-9a-f]{32}"\}$/
const accepted: Accounting = { 'accepted error': 1 }

// biome-ignore format: the columns are the point
const endpoints: readonly (readonly [name: string, endpoint: Endpoint])[] = [
  ['envelope       ', { end: 'envelope/', body: oneEvent, status: 200, answer: madeId, accounting: accepted }],
  ['store          ', { end: 'store/', body: '{"message":"a"}', status: 200, answer: madeId, accounting: accepted }],
  ['otlp logs      ', { end: 'otlp/v1/logs', body: logs, headers: json, status: 200, answer: /^\{\}$/, accounting: accepted }],
  ['otlp, alias    ', { end: 'integration/otlp/v1/logs', body: logs, headers: json, status: 200, answer: /^\{\}$/, accounting: accepted }],
  ['otlp traces    ', { end: 'integration/otlp/v1/traces', body: '{}', headers: json, status: 200, answer: /^\{\}$/, accounting: { 'unsupported unsupported:otel_span span': 1 } }],
  ['security       ', { end: 'security/', body: csp, headers: cspType, status: 200, answer: madeId, accounting: accepted }],
  ['csp-report     ', { end: 'csp-report/', body: csp, headers: cspType, status: 200, answer: madeId, accounting: accepted }],
  ['cron by POST   ', { end: 'cron/nightly/', body: '{"status":"ok"}', headers: json, status: 202, answer: /^$/, accounting: { 'accepted monitor': 1 } }],
  ['cron by GET    ', { end: 'cron/nightly/?status=ok', method: 'GET', status: 202, answer: /^$/, accounting: { 'accepted monitor': 1 } }],
]

function pathOf(project: TestProject, end: string, key = project.publicKey): string {
  const [path, query = ''] = end.split('?')
  return `/api/${project.dsnId}/${path}?${query}&sentry_key=${key}`
}

describe.concurrent.each(endpoints)('%s', (_name, endpoint) => {
  const { end, status, answer, accounting, ...request } = endpoint

  test('accepts a valid request', async () => {
    const project = await product().projectAtOnce('endpoint')
    const response = await project.send({ ...request, path: pathOf(project, end) })
    expect({ status: response.status, body: response.body }).toEqual({
      status,
      body: expect.stringMatching(answer),
    })
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'x-sentry-error, x-sentry-rate-limits, retry-after',
    })
    await project.hasAccounting(accounting)
    await project.hasEvents(accounting['accepted error'] ?? 0)
  })

  test('refuses requests without valid credentials', async () => {
    const [project, other] = await Promise.all([
      product().projectAtOnce('endpoint'),
      product().projectAtOnce('other'),
    ])
    const bare = pathOf(project, end).replace(/&sentry_key=\w+/, '')
    // biome-ignore format: the columns are the point
    const cases: readonly (readonly [number, Partial<RawRequest>])[] = [
      [400, { path: pathOf(project, end, 'xyz') }],
      [400, { path: pathOf(project, end).replace(`/${project.dsnId}/`, '/shop/') }],
      [400, { path: `${pathOf(project, end)}&sentry_version=9` }],
      [401, { path: bare }],
      [403, { path: pathOf(project, end, '9'.repeat(32)) }],
      [403, { path: pathOf(project, end, other.publicKey) }],
      [405, { path: pathOf(project, end), method: 'PUT' }],
      [415, { path: pathOf(project, end), headers: { ...request.headers, 'Content-Encoding': 'lzma' } }],
      [400, { path: pathOf(project, end), headers: { ...request.headers, 'Content-Encoding': 'gzip' }, body: 'not gzip' }],
      [413, { path: pathOf(project, end), body: Buffer.alloc(20 * 1024 * 1024 + 1) }],
[404, { path: pathOf(project, `nothing/${end}`) }],
    ]
    const statuses: number[] = []
    for (const [, each] of cases) {
      statuses.push((await project.send({ ...request, ...each })).status)
    }
    expect(statuses).toEqual(cases.map(([want]) => want))
    expect(await project.countedEvents()).toBe(0)
  })

  test('accepts a compressed body', async () => {
    if (request.method === 'GET') return
    const project = await product().projectAtOnce('compressed')
    const response = await project.send({
      path: pathOf(project, end),
      headers: { ...request.headers, 'Content-Encoding': 'gzip' },
      body: gzipSync(request.body ?? ''),
    })
    expect(response.status).toBe(status)
    await project.hasAccounting(accounting)
  })
})

describe('a project over its quota', () => {
  async function overQuota(): Promise<TestProject> {
    const project = await product().projectAtOnce('full')
    const flags = ['--project', project.id, '--monthly-events', '0']
    await product().adminJsonOfDemo('quota', 'set', ...flags)
    return project
  }

  // biome-ignore format: the columns are the point
  test.each([
    ['envelope ', 'envelope/',    oneEvent,          {}],
    ['store    ', 'store/',       '{"message":"a"}', {}],
    ['security ', 'security/',    csp,               cspType],
  ] as const)('is answered 429 with both headers: %s', async (_name, end, body, headers) => {
    const project = await overQuota()
    const response = await project.send({ path: pathOf(project, end), body, headers })
    expect(response.status).toBe(429)
    const seconds = response.headers['retry-after']
    expect(seconds).toMatch(/^[1-9]\d*$/)
    expect(response.headers['x-sentry-rate-limits']).toBe(`${seconds}:error:project:quota_exceeded`)
    await project.hasAccounting({ 'over_quota error': 1 })
  })

  test('accepts free items and announces the limit', async () => {
    const project = await overQuota()
    const session = `{"sid":"${id}","init":true,"started":"${sentAt}","status":"exited","attrs":{"release":"shop@1"}}`
    const checkIn = `{"check_in_id":"${id}","monitor_slug":"nightly","status":"ok"}`
    const free = `{"type":"session"}\n${session}\n{"type":"check_in"}\n${checkIn}`
    const mixed = `{"event_id":"${id}"}\n{"type":"event"}\n{}\n${free}`
    expect(await project.send({ body: mixed })).toMatchObject({ status: 429 })
    const report = `{"sent_at":"${sentAt}"}\n{"type":"client_report"}\n{"discarded_events":[]}`
    const response = await project.send({ body: report })
    expect(response).toMatchObject({ status: 200, body: '{}' })
    expect(response.headers['x-sentry-rate-limits']).toMatch(/^\d+:error:project:quota_exceeded$/)
    expect(response.headers['retry-after']).toBeUndefined()
    const byUrl = await project.send({
      method: 'GET',
      path: pathOf(project, 'cron/job/?status=ok'),
    })
    expect(byUrl).toMatchObject({ status: 202, body: '' })
    await project.hasAccounting({
      'over_quota error': 1,
      'accepted session': 1,
      'accepted monitor': 2,
      'accepted internal': 1,
    })
  })
})

describe.each(['@sentry/node', '@sentry/node-10'])('%s', (sdk) => {
  test('learns of the limit from a 200 response and sends no error', async () => {
    const project = await product().projectAtOnce('announced limit')
    await product().adminJsonOfDemo(
      'quota',
      'set',
      '--project',
      project.id,
      '--monthly-events',
      '0',
    )
    expect(await project.send({ body: oneEvent })).toMatchObject({ status: 429 })
    const report = await runClient('node-sdk.mjs', sdk, 'errorLast', project.dsn)
    expect(report).toMatchObject({ code: 0, losses: ['ratelimit_backoff error'] })
    // Status 0 is the error, which was not sent.
    expect(new Set(report.statuses)).toEqual(new Set([200, 0]))
    expect(report.itemTypes).toContain('client_report')
    await project.hasAccountingAmong({
      'client_discard ratelimit_backoff error': 1,
      'over_quota error': 1,
      'accepted monitor': 1,
    })
    expect(await project.countedEvents()).toBe(0)
  })
})

test("a browser's security report becomes an issue named by the blocked host", async () => {
  const project = await product().projectAtOnce('csp')
  const path = `${pathOf(project, 'security/')}&sentry_release=shop%401&sentry_environment=staging`
  const headers = { ...cspType, 'User-Agent': 'Mozilla/5.0', Referer: 'https://shop.example/' }
  expect(await project.send({ path, body: csp, headers })).toMatchObject({ status: 200 })
  await project.hasEvents(1)
  expect(await project.issue()).toMatchObject({ title: 'Blocked by img-src: a.example' })
  const { release, environment, payload } = await project.onlyEvent()
  expect({ release, environment }).toEqual({ release: 'shop@1', environment: 'staging' })
  expect(payload).toMatchObject({ request: { url: 'https://shop.example/' } })
})

describe('a request that is repeated', () => {
  test('counts its free items once', async () => {
    const project = await product().projectAtOnce('repeated')
    const sums = `{"aggregates":[{"started":"${sentAt}","exited":2}],"attrs":{"release":"r"}}`
    const report = '{"discarded_events":[{"reason":"before_send","category":"error","quantity":3}]}'
    const body = `{"sent_at":"${sentAt}"}\n{"type":"sessions"}\n${sums}\n{"type":"client_report"}\n${report}`
    for (let count = 0; count < 3; count += 1) {
      expect(await project.send({ body })).toMatchObject({ status: 200 })
    }
    await project.hasAccounting({
      'accepted session': 1,
      'duplicate session': 2,
      'accepted internal': 1,
      'duplicate internal': 2,
      'client_discard before_send error': 3,
    })
  })
})

test.each([
  ['live', 200],
  ['ready', 200],
])('the health path of a relay responds: %s', async (end, status) => {
  const { ingest } = product().stack.urls
  const response = await fetch(`${ingest}/api/relay/healthcheck/${end}/`)
  expect({ status: response.status, body: await response.json() }).toEqual({
    status,
    body: { is_healthy: true },
  })
})
