/**
 * Export requests over real sockets: accepted and counted records, and replies in the encoding of
 * the request.
 */
import * as zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { exportLogsRequest, exportLogsResponse, rpcStatus } from '../../bench/otlp/otlp-messages.ts'
import {
  awayKey,
  key,
  otherProjectKey,
  serveTests,
} from '../../test/fixtures/ingest/http-fixture.ts'

const server = serveTests()

const path = '/api/42/otlp/v1/logs'
const auth = { 'x-sentry-auth': `sentry sentry_key=${key}` }
const encodings = ['application/json', 'application/x-protobuf'] as const
type Encoding = (typeof encodings)[number]

/** A request with one record of each given severity number, with different bodies. */
function requestOf(...severities: readonly number[]) {
  const logRecords = severities.map((severityNumber, index) => ({
    timeUnixNano: '1795215589727351700',
    severityNumber,
    body: { stringValue: `record ${index}` },
  }))
  return { resourceLogs: [{ scopeLogs: [{ logRecords }] }] }
}

function bodyOf(encoding: Encoding, request: object): Uint8Array<ArrayBuffer> {
  const bytes =
    encoding === 'application/json'
      ? Buffer.from(JSON.stringify(request))
      : exportLogsRequest.encode(exportLogsRequest.fromObject(request)).finish()
  return Uint8Array.from(bytes)
}

/** Path for a new project with a limit; the key is in the query. */
function limitedPath(monthlyEvents: number): string {
  return server.project({ monthlyEvents }).path.replace('/envelope/', '/otlp/v1/logs')
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
}

async function send(
  body: Uint8Array<ArrayBuffer> | string,
  headers: Record<string, string>,
  to = path,
): Promise<Answer> {
  const url = `http://127.0.0.1:${server.port}${to}`
  const reply = await fetch(url, { method: 'POST', body, headers })
  return {
    status: reply.status,
    headers: reply.headers,
    bytes: Buffer.from(await reply.arrayBuffer()),
  }
}

const exportTo = (encoding: Encoding, request: object, to?: string) =>
  send(bodyOf(encoding, request), { ...auth, 'content-type': encoding }, to)

/** Parses the body like the client's library of that encoding. */
function read(answer: Answer, type: typeof rpcStatus): Record<string, unknown> {
  if (answer.headers.get('content-type') === 'application/json') {
    return JSON.parse(answer.bytes.toString())
  }
  expect(answer.headers.get('content-type')).toBe('application/x-protobuf')
  return type.toObject(type.decode(answer.bytes), { longs: String })
}

describe.each(encodings)('%s', (encoding) => {
  test('records of error severity become events, all others are counted', async () => {
    const answer = await exportTo(encoding, requestOf(1, 9, 17, 13, 16, 24, 0))
    expect(answer.status).toBe(200)
    expect(read(answer, exportLogsResponse)).toEqual({})
    const events = server.events().map((text) => JSON.parse(text))
    events.sort((left, right) => left.level.localeCompare(right.level))
    expect(events).toMatchObject([
      { level: 'error', logentry: { formatted: 'record 2' }, timestamp: 1795215589.727351 },
      { level: 'fatal', logentry: { formatted: 'record 5' } },
    ])
    expect(server.outcomes()).toEqual(['unsupported unsupported:log 5'])
  })

  test('a batch that is resent creates no further events', async () => {
    for (const _ of ['first', 'again']) {
      expect(await exportTo(encoding, requestOf(17, 17))).toMatchObject({ status: 200 })
    }
    expect(server.events()).toHaveLength(2)
    expect(server.outcomes()).toEqual(['duplicate  2'])
  })

  test('equal records of one batch all become events', async () => {
    const one = { severityNumber: 17, timeUnixNano: '5', body: { stringValue: 'again' } }
    const request = { resourceLogs: [{ scopeLogs: [{ logRecords: [one, one, one] }] }] }
    for (const _ of ['first', 'again']) await exportTo(encoding, request)
    expect(server.events()).toHaveLength(3)
    expect(new Set(server.records().map(({ recordId }) => recordId)).size).toBe(4)
  })

  test('records without a time are never duplicates', async () => {
    const one = { severityNumber: 17, body: { stringValue: 'again' } }
    const request = { resourceLogs: [{ scopeLogs: [{ logRecords: [one] }] }] }
    for (const _ of ['first', 'again']) await exportTo(encoding, request)
    expect(server.events()).toHaveLength(2)
  })

  test('a batch of a thousand errors is processed over several turns', async () => {
    const severities = Array.from({ length: 1000 }, () => 17)
    expect(await exportTo(encoding, requestOf(...severities))).toMatchObject({ status: 200 })
    expect(server.events()).toHaveLength(1000)
  })

  test('events over quota are reported as partial success when some were accepted', async () => {
    const answer = await exportTo(encoding, requestOf(17, 9, 17, 17), limitedPath(2))
    expect(answer.status).toBe(200)
    const { partialSuccess } = read(answer, exportLogsResponse)
    expect(partialSuccess).toEqual({
      rejectedLogRecords: '1',
      errorMessage: 'log records were not taken: events over the quota',
    })
    expect(server.events()).toHaveLength(2)
  })

  test('a batch that is completely over quota is answered 429 with Retry-After', async () => {
    const answer = await exportTo(encoding, requestOf(17, 9), limitedPath(0))
    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(read(answer, rpcStatus)).toMatchObject({ code: 8, message: expect.any(String) })
    expect(server.events()).toHaveLength(0)
  })

  test('only the record that is too large is rejected', async () => {
    const request = requestOf(17, 17)
    const records = request.resourceLogs[0]!.scopeLogs[0]!.logRecords
    records[0]!.body.stringValue = 'x'.repeat(1024 * 1024)
    const answer = await exportTo(encoding, request)
    expect(answer.status).toBe(200)
    expect(read(answer, exportLogsResponse)['partialSuccess']).toMatchObject({
      rejectedLogRecords: '1',
    })
    expect(server.events()).toHaveLength(1)
    expect(server.outcomes()).toEqual(['rejected too_large 1'])
  })

  test('a malformed body is answered 400 and counted, and none of it is accepted', async () => {
    const whole = bodyOf(encoding, requestOf(17, 9))
    const answer = await send(whole.subarray(0, -1), { ...auth, 'content-type': encoding })
    expect(answer.status).toBe(400)
    expect(read(answer, rpcStatus)).toMatchObject({ code: 3, message: expect.any(String) })
    await expect.poll(() => server.outcomes()).toHaveLength(1)
    expect(server.outcomes()[0]).toMatch(/^rejected (malformed_envelope|invalid_json) 1$/)
    expect(server.events()).toEqual([])
  })

  test('a body that is too large is answered 413', async () => {
    const body = zlib.gzipSync(Buffer.alloc(17 * 1024 * 1024))
    const headers = { ...auth, 'content-type': encoding, 'content-encoding': 'gzip' }
    const answer = await send(Uint8Array.from(body), headers)
    expect(answer.status).toBe(413)
    expect(read(answer, rpcStatus)['message']).toContain('at most 16777216 bytes')
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no credentials       ', path,                                    {},                                                401, 16],
    ['a malformed key      ', path,                                    { 'x-sentry-auth': 'sentry sentry_key=x' },        400, 3],
    ['an unknown key       ', path,                                    { 'x-sentry-auth': `sentry sentry_key=${'9'.repeat(32)}` }, 403, 7],
    ['a key of another     ', path,                                    { 'x-sentry-auth': `sentry sentry_key=${otherProjectKey}` }, 403, 7],
    ['an unavailable store ', path,                                    { 'x-sentry-auth': `sentry sentry_key=${awayKey}` }, 503, 14],
    ['a project name       ', '/api/shop/otlp/v1/logs',                auth,                                              400, 3],
    ['an unknown encoding  ', path,                                    { ...auth, 'content-encoding': 'compress' },       415, 3],
    ['no gzip at all       ', path,                                    { ...auth, 'content-encoding': 'gzip' },           400, 3],
  ] as const)('%s is refused in the encoding of the request', async (_name, to, headers, status, code) => {
    const answer = await send(bodyOf(encoding, requestOf(17)), { ...headers, 'content-type': encoding }, to)
    expect(answer.status).toBe(status)
    expect(read(answer, rpcStatus)).toEqual({ code, message: expect.any(String) })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(server.events()).toEqual([])
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['a slash at the end     ', `${path}/`],
  ['the integration path   ', '/api/42/integration/otlp/v1/logs'],
  ['behind a prefix        ', '/a/b/api/42/otlp/v1/logs'],
  ['the key in the query   ', `${path}?sentry_key=${key}`],
] as const)('%s is accepted too', async (_name, to) => {
  const headers: Record<string, string> = to.includes('?') ? {} : auth
  const answer = await send(bodyOf('application/json', requestOf(17)), { ...headers, 'content-type': 'application/json; charset=utf-8' }, to)
  expect(answer.status).toBe(200)
  expect(server.events()).toHaveLength(1)
})

test('the key may be the user name of basic authentication', async () => {
  const authorization = `Basic ${Buffer.from(`${key}:`).toString('base64')}`
  const headers = { authorization, 'content-type': 'application/json' }
  expect(await send(bodyOf('application/json', requestOf(17)), headers)).toMatchObject({
    status: 200,
  })
})

test('an empty request is valid', async () => {
  const empty = { ...auth, 'content-type': 'application/x-protobuf' }
  const answer = await send('', empty)
  expect(answer).toMatchObject({ status: 200, bytes: Buffer.alloc(0) })
  const asJson = await send('{}', { ...auth, 'content-type': 'application/json' })
  expect(asJson.bytes.toString()).toBe('{}')
  expect(server.records()).toEqual([])
})

test('another content type is answered 415', async () => {
  for (const type of ['text/plain', 'application/jsonx', '']) {
    const answer = await send('{}', { ...auth, 'content-type': type })
    expect(answer.status).toBe(415)
    expect(read(answer, rpcStatus)).toMatchObject({ code: 3 })
  }
})
