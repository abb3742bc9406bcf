/**
 * Every kind of record with a hostile value in each of its fields, in turn, against the running product. Whatever becomes of such
 * an item, it must not keep another one from being stored, and no store may refuse what the digest makes of it.
 */
import { beforeAll, expect, test } from 'vitest'
import { hostileTexts } from './hostile-texts.ts'
import { productOfThisFile } from './running-product.ts'
import type { TestProject } from './test-project.ts'

const product = productOfThisFile()

const now = new Date().toISOString()
const id = 'ab'.repeat(16)

/** One good item of each kind, with every field that some SDK sends. */
const templates: readonly (readonly [type: string, payload: object])[] = [
  [
    'event',
    {
      event_id: id,
      timestamp: now,
      platform: 'javascript',
      level: 'error',
      logger: 'app',
      transaction: 'GET /cart',
      server_name: 'web-1',
      release: 'shop@1.0.0',
      dist: '7',
      environment: 'production',
      message: 'text',
      logentry: { message: 'template %s', formatted: 'template 1', params: ['1'] },
      fingerprint: ['a', 'b'],
      checksum: 'abc',
      tags: { key: 'value' },
      user: { id: '1', email: 'a@example.com', username: 'a', ip_address: '127.0.0.1' },
      request: {
        url: 'http://example.com/',
        method: 'GET',
        query_string: 'a=b',
        headers: { Host: 'h' },
        data: 'd',
        cookies: 'c=1',
        env: { REMOTE_ADDR: '::1' },
      },
      sdk: { name: 'sdk', version: '1', settings: { infer_ip: 'never' } },
      contexts: { trace: { trace_id: id, span_id: 'a'.repeat(16) }, os: { name: 'Linux' } },
      breadcrumbs: {
        values: [
          { timestamp: now, type: 't', category: 'c', message: 'm', level: 'info', data: { a: 1 } },
        ],
      },
      extra: { key: { deep: ['x'] } },
      modules: { module: '1.0' },
      debug_meta: {
        images: [{ type: 'elf', code_file: 'f', image_addr: '0x1', image_size: 1, debug_id: id }],
      },
      threads: { values: [{ id: 1, name: 'main', crashed: true, current: true }] },
      exception: {
        values: [
          {
            type: 'Error',
            value: 'broken',
            module: 'm',
            thread_id: 1,
            mechanism: {
              type: 'generic',
              handled: false,
              exception_id: 0,
              parent_id: 0,
              meta: { signal: { number: 11 } },
            },
            stacktrace: {
              frames: [
                {
                  function: 'f',
                  module: 'm',
                  filename: 'a.js',
                  abs_path: '/a.js',
                  lineno: 1,
                  colno: 2,
                  in_app: true,
                  context_line: 'x',
                  pre_context: ['y'],
                  vars: { v: 1 },
                  instruction_addr: '0x1',
                  package: 'p',
                  platform: 'native',
                },
              ],
            },
          },
        ],
      },
    },
  ],
  [
    'event',
    { type: 'transaction', csp: { effective_directive: 'img-src', blocked_uri: 'http://x' } },
  ],
  [
    'session',
    {
      sid: id,
      did: 'user',
      seq: 1,
      started: now,
      timestamp: now,
      init: true,
      status: 'ok',
      errors: 0,
      duration: 1,
      attrs: {
        release: 'shop@1.0.0',
        environment: 'production',
        ip_address: '127.0.0.1',
        user_agent: 'a',
      },
    },
  ],
  [
    'sessions',
    {
      aggregates: [
        { started: now, did: 'user', exited: 1, errored: 1, crashed: 1, abnormal: 1, unhandled: 1 },
      ],
      attrs: { release: 'shop@1.0.0', environment: 'production' },
    },
  ],
  [
    'check_in',
    {
      check_in_id: id,
      monitor_slug: 'nightly',
      status: 'ok',
      duration: 1.5,
      release: 'shop@1.0.0',
      environment: 'production',
      contexts: { trace: { trace_id: id, span_id: 'a'.repeat(16) } },
      monitor_config: {
        schedule: { type: 'crontab', value: '* * * * *' },
        checkin_margin: 1,
        max_runtime: 1,
        timezone: 'UTC',
        failure_issue_threshold: 1,
        recovery_threshold: 1,
      },
    },
  ],
  [
    'check_in',
    {
      monitor_slug: 'interval',
      status: 'error',
      monitor_config: { schedule: { type: 'interval', value: 1, unit: 'hour' } },
    },
  ],
  [
    'client_report',
    {
      timestamp: now,
      discarded_events: [{ reason: 'before_send', category: 'error', quantity: 1 }],
    },
  ],
  [
    'feedback',
    {
      event_id: id,
      timestamp: now,
      release: 'shop@1.0.0',
      environment: 'production',
      user: { email: 'a@example.com' },
      contexts: {
        feedback: {
          message: 'm',
          contact_email: 'a@example.com',
          name: 'n',
          url: 'http://example.com/x',
          source: 'widget',
          associated_event_id: id,
        },
      },
    },
  ],
  ['user_report', { event_id: id, name: 'n', email: 'a@example.com', comments: 'c' }],
]

/** The payload with each of its values in turn, also its lists and objects, replaced by `text`. */
function* replaced(value: unknown, text: string): Generator<string> {
  yield text
  if (typeof value !== 'object' || value === null) return
  const entries = Object.entries(value)
  for (const [name, inner] of entries) {
    for (const changed of replaced(inner, text)) {
      const parts = entries.map(([key, other]) => {
        const part = key === name ? changed : JSON.stringify(other)
        return Array.isArray(value) ? part : `${JSON.stringify(key)}:${part}`
      })
      yield Array.isArray(value) ? `[${parts.join(',')}]` : `{${parts.join(',')}}`
    }
  }
}

/** Ids of their own, so that nothing is left out as a copy. */
let itemNo = 0
function withOwnId(payload: string): string {
  itemNo += 1
  const own = itemNo.toString(16).padStart(32, '0')
  return payload.replaceAll(id, own).replaceAll('"nightly"', `"nightly-${itemNo}"`)
}

const itemsPerEnvelope = 50

function* envelopes(type: string, payload: object): Generator<string> {
  let lines: string[] = []
  for (const text of hostileTexts) {
    for (const changed of replaced(payload, text)) {
      const body = Buffer.from(withOwnId(changed))
      lines.push(`{"type":"${type}","length":${body.length}}`, body.toString())
      if (lines.length < 2 * itemsPerEnvelope) continue
      yield `{"sent_at":"${now}"}\n${lines.join('\n')}`
      lines = []
    }
  }
  if (lines.length > 0) yield `{"sent_at":"${now}"}\n${lines.join('\n')}`
}

async function workerMetric(name: string): Promise<number> {
  const text = await (await fetch(`${product().stack.urls.workers}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

let hostile: TestProject
let bystander: TestProject
let goodCount = 0

beforeAll(async () => {
  hostile = await product().projectAtOnce('hostile')
  bystander = await product().projectAtOnce('bystander')
})

/** Enough of them that every partition gets some. */
async function goodEventsAreStored(): Promise<void> {
  for (let index = 0; index < 40; index += 1) {
    const body = '{}\n{"type":"event"}\n{"message":"good"}'
    expect(await bystander.send({ body })).toMatchObject({ status: 200 })
  }
  goodCount += 40
  await bystander.hasEvents(goodCount)
}

async function nothingWasRefused(): Promise<void> {
  await goodEventsAreStored()
  expect(await product().deadLetterCount()).toBe(0)
  expect(await workerMetric('workers_ranges_failed_total')).toBe(0)
}

test.each(templates)('%s: hostile values in every field stop nothing', async (type, payload) => {
  for (const body of envelopes(type, payload)) {
    expect((await hostile.send({ body })).status).toBe(200)
  }
  await nothingWasRefused()
})

test('store requests: hostile values in every field stop nothing', async () => {
  const [, payload] = templates[0]!
  for (const text of hostileTexts) {
    for (const changed of replaced(payload, text)) {
      const request = { path: hostile.path('store'), body: withOwnId(changed) }
      expect((await hostile.send(request)).status).toBeLessThan(500)
    }
  }
  await nothingWasRefused()
})

test('headers of envelopes and items: hostile values stop nothing', async () => {
  const header = {
    event_id: id,
    sent_at: now,
    sdk: { name: 'a', version: '1' },
    trace: { release: 'r' },
  }
  const item = { type: 'event', length: 20, content_type: 'application/json', filename: 'f' }
  for (const text of hostileTexts) {
    for (const changed of replaced(header, text)) {
      const body = `${withOwnId(changed)}\n{"type":"event"}\n{"message":"x"}`
      expect((await hostile.send({ body })).status).toBeLessThan(500)
    }
    for (const changed of replaced(item, text)) {
      const body = `{}\n${changed}\n{"message":"12345678"}`
      expect((await hostile.send({ body })).status).toBeLessThan(500)
    }
  }
  await nothingWasRefused()
})

test('OTLP logs: hostile values in every field stop nothing', async () => {
  const attribute = { key: 'exception.message', value: { stringValue: 'broken' } }
  const logs = {
    resourceLogs: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
        scopeLogs: [
          {
            scope: { name: 's', version: '1' },
            logRecords: [
              {
                timeUnixNano: '1700000000000000000',
                observedTimeUnixNano: '1700000000000000000',
                severityNumber: 17,
                severityText: 'ERROR',
                body: { stringValue: 'b' },
                traceId: id,
                spanId: 'a'.repeat(16),
                attributes: [attribute],
              },
            ],
          },
        ],
      },
    ],
  }
  const path = `/api/${hostile.dsnId}/otlp/v1/logs?sentry_key=${hostile.publicKey}`
  for (const text of hostileTexts) {
    for (const changed of replaced(logs, text)) {
      const request = { path, headers: { 'Content-Type': 'application/json' }, body: changed }
      expect((await hostile.send(request)).status).toBeLessThan(500)
    }
  }
  await nothingWasRefused()
})

test('check-ins by URL and security reports: hostile values stop nothing', async () => {
  const values = [
    '%00',
    'a%00b',
    '%ed%a0%80',
    '%ff',
    '%1b[2J',
    '-1',
    '1e999',
    '',
    'a'.repeat(5_000),
  ]
  for (const value of values) {
    for (const query of [
      `status=${value}`,
      `status=ok&environment=${value}`,
      `status=ok&duration=${value}`,
      `status=ok&check_in_id=${value}`,
    ]) {
      const path = `/api/${hostile.dsnId}/cron/job-${itemNo++}/${hostile.publicKey}/?${query}`
      expect((await hostile.send({ path, method: 'GET' })).status).toBeLessThan(500)
    }
    const path = `/api/${hostile.dsnId}/cron/${value}/${hostile.publicKey}/?status=ok`
    expect((await hostile.send({ path, method: 'GET' })).status).toBeLessThan(500)
  }
  const report = {
    'csp-report': {
      'document-uri': 'http://x/',
      'blocked-uri': 'http://y/',
      'effective-directive': 'img-src',
      'violated-directive': 'img-src',
      'original-policy': 'p',
      'line-number': 1,
      'script-sample': 's',
    },
  }
  const path = `/api/${hostile.dsnId}/security/?sentry_key=${hostile.publicKey}&sentry_environment=a%00b&sentry_release=%ed%a0%80`
  for (const text of hostileTexts) {
    for (const changed of replaced(report, text)) {
      const headers = { 'Content-Type': 'application/csp-report' }
      expect((await hostile.send({ path, headers, body: changed })).status).toBeLessThan(500)
    }
  }
  await nothingWasRefused()
})
