/**
 * How each field of a record is converted, and that both encodings of one record give the same
 * event.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exportLogsRequest } from '../../bench/otlp/otlp-messages.ts'
import { eventOfLog, type LogEvent } from './event-of-log.ts'
import { jsonEncoding, type OtlpEncoding, protobufEncoding } from './otlp-encoding.ts'

interface Sent {
  readonly record?: object
  readonly resource?: Readonly<Record<string, unknown>>
  readonly scope?: object
}

const any = (value: unknown): object => {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') {
    return Number.isInteger(value) ? { intValue: value } : { doubleValue: value }
  }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(any) } }
  if (typeof value !== 'object' || value === null) return {}
  return { kvlistValue: { values: keyValues(value) } }
}
const keyValues = (of: object) =>
  Object.entries(of).map(([key, value]) => ({ key, value: any(value) }))

function requestOf({ record = {}, resource = {}, scope = {} }: Sent) {
  const logRecords = [{ severityNumber: 17, timeUnixNano: '1795215589727351700', ...record }]
  return {
    resourceLogs: [
      { scopeLogs: [{ logRecords, scope }], resource: { attributes: keyValues(resource) } },
    ],
  }
}

/** Returns the events as the JSON that is published. */
function eventsThrough(encoding: OtlpEncoding, sent: Uint8Array): LogEvent[] {
  const bytes = Buffer.from(sent)
  const found = encoding.scan(bytes)
  if (found.kind === 'malformed') throw new Error(found.cause)
  const reader = encoding.reader(bytes)
  return found.records.map((record) => {
    const log = reader.read(record)
    if (log === undefined) throw new Error('malformed inside')
    return JSON.parse(JSON.stringify(eventOfLog(log)))
  })
}

const allAsJson = (request: object) =>
  eventsThrough(jsonEncoding, Buffer.from(JSON.stringify(request)))
const allAsProtobuf = (request: object) =>
  eventsThrough(
    protobufEncoding,
    exportLogsRequest.encode(exportLogsRequest.fromObject(request)).finish(),
  )
const asJson = (request: object) => allAsJson(request)[0]!
const asProtobuf = (request: object) => allAsProtobuf(request)[0]!

/** Returns the event of both encodings, which must be the same. */
function eventOf(sent: Sent): LogEvent {
  const request = requestOf(sent)
  const event = asJson(request)
  expect(asProtobuf(request)).toEqual(event)
  return event
}

const attributes = (of: Readonly<Record<string, unknown>>) => ({ attributes: keyValues(of) })

// biome-ignore format: the columns are the point
test.each([
  ['the time                           ', {}, { timestamp: 1795215589.727351 }],
  ['the observed time, where it is all ', { record: { timeUnixNano: '0', observedTimeUnixNano: '1795215589000000000' } }, { timestamp: 1795215589 }],
  ['error                              ', { record: { severityNumber: 20 } }, { level: 'error' }],
  ['fatal                              ', { record: { severityNumber: 21 } }, { level: 'fatal' }],
  ['error by text                      ', { record: { severityNumber: 0, severityText: 'SEVERE' } }, { level: 'error' }],
  ['fatal by text                      ', { record: { severityNumber: 0, severityText: 'Critical' } }, { level: 'fatal' }],
  ['a text as body                     ', { record: { body: any('no disk') } }, { logentry: { formatted: 'no disk' } }],
  ['another body as JSON               ', { record: { body: any({ a: [1, true] }) } }, { logentry: { formatted: '{"a":[1,true]}' } }],
  ['the template of a .NET logger      ', { record: { body: any('order 7 lost'), ...attributes({ '{OriginalFormat}': 'order {Id} lost' }) } }, { logentry: { message: 'order {Id} lost', formatted: 'order 7 lost' } }],
  ['the exception, where the body is empty', { record: attributes({ 'exception.type': 'E', 'exception.message': 'm' }) }, { logentry: { formatted: 'E: m' } }],
  ['the release                        ', { resource: { 'service.version': '1.4.0' } }, { release: '1.4.0' }],
  ['the environment                    ', { resource: { 'deployment.environment.name': 'staging', 'deployment.environment': 'x' } }, { environment: 'staging' }],
  ['the old name of environment       ', { resource: { 'deployment.environment': 'staging' } }, { environment: 'staging' }],
  ['the server                         ', { resource: { 'host.name': 'web-1', 'k8s.pod.name': 'p' } }, { server_name: 'web-1' }],
  ['the server by its pod              ', { resource: { 'k8s.pod.name': 'p' } }, { server_name: 'p' }],
  ['the service                        ', { resource: { 'service.name': 'shop' } }, { tags: { service: 'shop' } }],
  ['the unknown service of SDKs        ', { resource: { 'service.name': 'unknown_service:node' } }, { tags: {} }],
  ['the platform                       ', { resource: { 'telemetry.sdk.language': 'dotnet' } }, { platform: 'csharp' }],
  ['no platform                        ', {}, { platform: 'other' }],
  ['the SDK                            ', { resource: { 'telemetry.sdk.name': 'opentelemetry', 'telemetry.sdk.language': 'go', 'telemetry.sdk.version': '1.2' } }, { sdk: { name: 'opentelemetry.go', version: '1.2' } }],
  ['the logger                         ', { scope: { name: 'shop.cart', version: '3' } }, { logger: 'shop.cart', contexts: { otel: { scope_version: '3' } } }],
  ['the transaction                    ', { record: attributes({ 'http.route': '/a/:b', 'code.function.name': 'f' }) }, { transaction: '/a/:b' }],
  ['the function, where there is no route', { record: attributes({ 'code.function.name': 'f' }) }, { transaction: 'f' }],
  ['the user                           ', { record: attributes({ 'user.id': 7, 'user.email': 'a@b.test', 'client.address': '2001:db8::1' }) }, { user: { id: '7', email: 'a@b.test', ip_address: '2001:db8::1' }, tags: {} }],
  ['the old name of user               ', { record: attributes({ 'enduser.id': 'ada' }) }, { user: { id: 'ada' } }],
  ['an invalid address                 ', { record: attributes({ 'client.address': '/tmp/socket' }) }, { tags: { 'client.address': '/tmp/socket' } }],
  ['short attributes                   ', { record: attributes({ 'queue.name': 'mail', retries: 3, last: true }) }, { tags: { 'queue.name': 'mail', retries: '3', last: 'true' } }],
  ['long and odd attributes            ', { record: attributes({ long: 'x'.repeat(201), lines: 'a\nb', list: [1], 'a key': 'b', release: '9' }) }, { tags: {}, extra: { long: 'x'.repeat(201), lines: 'a\nb', list: [1], 'a key': 'b', release: '9' } }],
  ['numbers beyond 2^53                ', { record: { attributes: [{ key: 'n', value: { intValue: '9007199254740993' } }] } }, { tags: { n: '9007199254740993' } }],
  ['an invalid number                  ', { record: { attributes: [{ key: 'n', value: { doubleValue: 'NaN' } }, { key: 'i', value: { doubleValue: '-Infinity' } }] } }, { tags: { n: 'NaN', i: '-Infinity' } }],
  ['the resource                       ', { resource: { 'os.type': 'linux' } }, { contexts: { resource: { 'os.type': 'linux' } } }],
  ['severity and name                  ', { record: { severityText: 'ERR', eventName: 'disk.full' } }, { contexts: { otel: { severity_number: 17, severity_text: 'ERR', event_name: 'disk.full' } } }],
] as const)('%s', (_name, sent, want) => {
  expect(eventOf(sent)).toMatchObject(want)
})

test('the function that logged an error with its stack is no transaction', () => {
  const event = eventOf({
    resource: { 'telemetry.sdk.language': 'python' },
    record: attributes({
      'code.function.name': 'handle',
      'exception.type': 'KeyError',
      'exception.stacktrace':
        'Traceback (most recent call last):\n  File "/srv/cart.py", line 8, in price_of\n    x\nKeyError: 17',
    }),
  })
  expect(event).not.toHaveProperty('transaction')
  expect(event).toMatchObject({ tags: { 'code.function.name': 'handle' } })
})

describe('exceptions', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['type and message           ', { 'exception.type': 'E', 'exception.message': 'm' }, {}, [{ type: 'E', value: 'm' }]],
    ['the body as message        ', { 'exception.type': 'E' }, { body: any('lost') }, [{ type: 'E', value: 'lost' }]],
    ['the type of an error       ', { 'error.type': 'timeout' }, { body: any('lost') }, [{ type: 'timeout', value: 'lost' }]],
    ['by the name of the record  ', {}, { body: any('lost'), eventName: 'client.exception' }, [{ value: 'lost' }]],
    ['an escaped one             ', { 'exception.type': 'E', 'exception.escaped': true }, {}, [{ type: 'E', mechanism: { type: 'otlp', handled: false } }]],
    ['Java: package and class    ', { 'exception.type': 'java.io.IOException' }, {}, [{ type: 'IOException', module: 'java.io' }]],
  ] as const)('%s', (_name, own, record, want) => {
    const event = eventOf({
      record: { ...record, ...attributes(own) },
      resource: { 'telemetry.sdk.language': 'java' },
    })
    expect(event).toMatchObject({ exception: { values: want } })
  })

  test('a chain in the text of a stack becomes a chain of exceptions, and the text is kept', () => {
    const stack =
      'java.lang.RuntimeException: late\n\tat shop.Cart.add(Cart.java:12)\nCaused by: java.io.IOException: no disk\n\tat shop.Disk.write(Disk.java:7)\n\t... 1 more'
    const own = {
      'exception.type': 'java.lang.RuntimeException',
      'exception.message': 'late',
      'exception.stacktrace': stack,
    }
    const event = eventOf({
      record: attributes(own),
      resource: { 'telemetry.sdk.language': 'java' },
    })
    expect(event).toMatchObject({
      exception: {
        values: [
          { type: 'IOException', value: 'no disk' },
          {
            type: 'RuntimeException',
            value: 'late',
            stacktrace: {
              frames: [{ module: 'shop.Cart', function: 'add', filename: 'Cart.java', lineno: 12 }],
            },
          },
        ],
      },
      extra: { 'exception.stacktrace': stack },
    })
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['both ids               ', 'AB'.repeat(16), '0c'.repeat(8), { trace_id: 'ab'.repeat(16), span_id: '0c'.repeat(8) }],
  ['no span                ', 'ab'.repeat(16), '',             { trace_id: 'ab'.repeat(16) }],
  ['zeros are no span      ', 'ab'.repeat(16), '00'.repeat(8), { trace_id: 'ab'.repeat(16) }],
  ['zeros are no trace     ', '00'.repeat(16), '0c'.repeat(8), undefined],
  ['the wrong length       ', 'ab'.repeat(8),  '0c'.repeat(8), undefined],
  ['base64 is no trace     ', 'q6urq6urq6urq6urq6urqw==', '',  undefined],
] as const)('trace: %s', (_name, traceId, spanId, want) => {
  const event = asJson(requestOf({ record: { traceId, spanId } })) as { contexts: { trace: object } }
  expect(event.contexts.trace).toEqual(want)
  if (traceId.endsWith('==')) return
  const binary = { traceId: Buffer.from(traceId, 'hex'), spanId: Buffer.from(spanId, 'hex') }
  expect(asProtobuf(requestOf({ record: binary }))).toEqual(event)
})

test('each record has the resource and the scope that contain it', () => {
  const logRecords = [{ severityNumber: 17 }, { severityNumber: 9 }, { severityNumber: 17 }]
  const scopes = (...names: readonly string[]) =>
    names.map((name) => ({ scope: { name }, logRecords }))
  const request = {
    resourceLogs: [
      { resource: attributes({ 'service.version': '1' }), scopeLogs: scopes('a', 'b') },
      { scopeLogs: [...scopes('c'), { logRecords }] },
      { resource: attributes({ 'service.version': '2' }), scopeLogs: scopes('a') },
    ],
  }
  const want = ['1 a', '1 a', '1 b', '1 b', ' c', ' c', ' ', ' ', '2 a', '2 a']
  for (const events of [allAsJson(request), allAsProtobuf(request)]) {
    expect(events.map(({ release = '', logger = '' }) => `${release} ${logger}`)).toEqual(want)
  }
})

test('names of prototype members are ordinary attributes', () => {
  const own = JSON.parse('{"__proto__":"a","constructor":"b","toString":{"__proto__":[1]}}')
  const event = eventOf({ record: attributes(own) })
  expect(JSON.stringify(event['tags'])).toBe('{"__proto__":"a","constructor":"b"}')
  expect(JSON.stringify(event['extra'])).toBe('{"toString":{"__proto__":[1]}}')
})

test('deeply nested values are truncated', () => {
  const deep = Array.from({ length: 30 }).reduce<unknown>((inner) => [inner], 'end')
  const event = eventOf({ record: { body: any(deep) } })
  const { formatted } = event['logentry'] as { formatted: string }
  expect(formatted).toMatch(/^\[{16}null\]{16}$/)
})

test('both encodings give the same event for any record', () => {
  const values = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.boolean(),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.string({ minLength: 1, maxLength: 9 }), tie('value'), { maxKeys: 3 }),
      fc.constant(null),
    ),
  })).value
  const keys = fc.oneof(
    fc.string({ minLength: 1, maxLength: 20 }),
    fc.constantFrom('exception.type', 'exception.message', 'exception.stacktrace', 'user.id'),
    fc.constantFrom('client.address', 'service.name', 'service.version', 'error.type'),
  )
  const many = fc.dictionary(keys, values, { maxKeys: 8 })
  const property = fc.property(many, many, values, (own, resource, body) => {
    eventOf({ record: { body: any(body), ...attributes(own) }, resource })
  })
  fc.assert(property, { seed: 20_261_121, numRuns: 500 })
})
