/**
 * Every kind of record with a hostile value in each of its fields in turn, against the running
 * product. Such an item may have any outcome, but no other item may be lost, and no store may
 * refuse the output of the digest.
 */
import { beforeAll, expect, test } from 'vitest'
import { hostileTexts } from '../fixtures/hostile-texts.ts'
import { cspReport, templateId as id, itemTemplates, replaced } from '../fixtures/item-templates.ts'
import type { RawRequest } from '../fixtures/processes/raw-http.ts'
import { productOfThisFile } from '../fixtures/processes/running-product.ts'
import type { TestProject } from '../fixtures/test-project.ts'

const product = productOfThisFile()

const now = new Date().toISOString()

/** Every item gets its own id, so that none is dropped as a duplicate. */
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

/** Sends enough valid events that every partition gets some. */
async function validEventsAreStored(): Promise<void> {
  for (let index = 0; index < 40; index += 1) {
    const body = '{}\n{"type":"event"}\n{"message":"good"}'
    expect(await bystander.send({ body })).toMatchObject({ status: 200 })
  }
  goodCount += 40
  await bystander.hasEvents(goodCount)
}

const requestsAtOnce = 16

/** Returns the statuses that occurred. */
async function sendAll(requests: Generator<Partial<RawRequest>>): Promise<number[]> {
  const statuses = new Set<number>()
  const sendSome = async () => {
    for (const request of requests) statuses.add((await hostile.send(request)).status)
  }
  await Promise.all(Array.from({ length: requestsAtOnce }, sendSome))
  return [...statuses]
}

const isServerError = (status: number) => status >= 500

async function nothingWasRefused(): Promise<void> {
  await validEventsAreStored()
  expect(await product().deadLetterCount()).toBe(0)
  expect(await workerMetric('workers_ranges_failed_total')).toBe(0)
}

test.each(itemTemplates)(
  '%s: hostile values in any field do not affect other items',
  async (type, payload) => {
    function* requests() {
      for (const body of envelopes(type, payload)) yield { body }
    }
    expect(await sendAll(requests())).toEqual([200])
    await nothingWasRefused()
  },
)

test('store requests: hostile values in any field do not affect other items', async () => {
  const [, payload] = itemTemplates[0]!
  function* requests() {
    for (const text of hostileTexts) {
      for (const changed of replaced(payload, text)) {
        yield { path: hostile.path('store'), body: withOwnId(changed) }
      }
    }
  }
  expect((await sendAll(requests())).filter(isServerError)).toEqual([])
  await nothingWasRefused()
})

test('headers of envelopes and items: hostile values do not affect other items', async () => {
  const header = {
    event_id: id,
    sent_at: now,
    sdk: { name: 'a', version: '1' },
    trace: { release: 'r' },
  }
  const item = { type: 'event', length: 20, content_type: 'application/json', filename: 'f' }
  function* requests() {
    for (const text of hostileTexts) {
      for (const changed of replaced(header, text)) {
        yield { body: `${withOwnId(changed)}\n{"type":"event"}\n{"message":"x"}` }
      }
      for (const changed of replaced(item, text)) {
        yield { body: `{}\n${changed}\n{"message":"12345678"}` }
      }
    }
  }
  expect((await sendAll(requests())).filter(isServerError)).toEqual([])
  await nothingWasRefused()
})

test('OTLP logs: hostile values in any field do not affect other items', async () => {
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
  function* requests() {
    for (const text of hostileTexts) {
      for (const body of replaced(logs, text)) {
        yield { path, headers: { 'Content-Type': 'application/json' }, body }
      }
    }
  }
  expect((await sendAll(requests())).filter(isServerError)).toEqual([])
  await nothingWasRefused()
})

test('check-ins by URL and security reports: hostile values do not affect other items', async () => {
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
  const cron = (slug: string, query: string) => ({
    path: `/api/${hostile.dsnId}/cron/${slug}/${hostile.publicKey}/?${query}`,
    method: 'GET',
  })
  const securityPath = `/api/${hostile.dsnId}/security/?sentry_key=${hostile.publicKey}&sentry_environment=a%00b&sentry_release=%ed%a0%80`
  function* requests() {
    for (const value of values) {
      for (const query of [
        `status=${value}`,
        `status=ok&environment=${value}`,
        `status=ok&duration=${value}`,
        `status=ok&check_in_id=${value}`,
      ]) {
        yield cron(`job-${itemNo++}`, query)
      }
      yield cron(value, 'status=ok')
    }
    const headers = { 'Content-Type': 'application/csp-report' }
    for (const text of hostileTexts) {
      for (const body of replaced(cspReport, text)) yield { path: securityPath, headers, body }
    }
  }
  expect((await sendAll(requests())).filter(isServerError)).toEqual([])
  await nothingWasRefused()
})
