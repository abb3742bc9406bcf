import { expect, test } from 'vitest'
import type { EventId } from '#schemas/ids.ts'
import { eventBytesMax, payloadBytesMax } from '#schemas/limits.ts'
import type { NormalizedEvent } from '../event.ts'
import { normalizeEvent } from '../normalize-event.ts'

function normalize(event: unknown): NormalizedEvent {
  const payload = Buffer.from(typeof event === 'string' ? event : JSON.stringify(event))
  const eventId = 'a'.repeat(32) as EventId
  const normalized = normalizeEvent({ payload, eventId, receivedAtMs: Date.UTC(2026, 10, 20) })
  if (normalized.kind !== 'event') throw new Error(normalized.kind)
  return normalized.event
}

function payloadOf(event: unknown): string {
  return normalize(event).payload
}

// JSON writes each of these four-character numbers with 21 digits, so the payload grows when it is
// written again.
const growing = Array(30).fill('1e20').join()

test('a payload that became too large loses its variables first and keeps its stack', () => {
  const frame = `{"function":"f","vars":{"a":[${growing}]}}`
  const stack = `{"frames":[${Array(200).fill(frame).join()}]}`
  const stacks = Array(28).fill(`{"type":"E","stacktrace":${stack}}`)
  const fitting = `{"extra":{"kept":1},"exception":[${stacks.join()}]}`
  expect(Buffer.byteLength(fitting)).toBeLessThanOrEqual(eventBytesMax)
  const payload = payloadOf(fitting)
  expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(payloadBytesMax)
  const event = JSON.parse(payload)
  expect(event.extra).toEqual({ kept: 1 })
  expect(event.exception.values).toHaveLength(28)
  expect(event.exception.values[0].stacktrace.frames[0]).toEqual({ function: 'f' })
  expect(event.notes).toEqual([
    { field: 'frame.vars', rule: 'dropped from the payload: the event is too large' },
  ])
})

test('extra, contexts and breadcrumbs stay within their own bounds', () => {
  const event = JSON.parse(
    payloadOf({
      extra: { long: 'x'.repeat(100_000), list: Array(90_000).fill(1) },
      contexts: {
        big: { list: Array(9000).fill('abc') },
        deep: JSON.parse(`${'[{"a":'.repeat(9)}1${'}]'.repeat(9)}`)[0],
      },
      breadcrumbs: Array.from({ length: 150 }, (_, index) => ({ message: `m${index}` })),
    }),
  )
  expect(event.extra.long).toHaveLength(16_384)
  expect(JSON.stringify(event.extra).length).toBeLessThan(262_144)
  expect(JSON.stringify(event.contexts.big).length).toBeLessThan(10_000)
  expect(JSON.stringify(event.contexts.deep)).toContain('"[Array]"')
  expect(event.breadcrumbs.values).toHaveLength(100)
  expect(event.breadcrumbs.values[0].message).toBe('m50')
  expect(event.notes.map((note: { field: string }) => note.field).sort()).toEqual([
    'breadcrumbs',
    'contexts',
    'extra',
  ])
})

test('grouping and the filters still read values that are left out of a payload', () => {
  // Each byte is invalid UTF-8 and becomes a replacement character of three bytes.
  const wide = (length: number) => '\u00ff'.repeat(length)
  const frame = {
    function: 'f',
    module: wide(250),
    context_line: wide(300),
    vars: { a: wide(500) },
  }
  const sent = {
    exception: Array(2).fill({ type: 'E', stacktrace: { frames: Array(250).fill(frame) } }),
    threads: [{ id: 1, stacktrace: { frames: Array(250).fill(frame) } }],
    extra: { a: wide(16_000) },
    request: { url: 'http://x/', data: wide(16_000) },
  }
  const bytes = Buffer.from(JSON.stringify(sent), 'latin1')
  expect(bytes.length).toBeLessThanOrEqual(eventBytesMax)
  const normalized = normalizeEvent({
    payload: bytes,
    eventId: 'a'.repeat(32) as EventId,
    receivedAtMs: 0,
  })
  if (normalized.kind !== 'event') throw new Error(normalized.kind)
  const { payload, exceptions, threads, request } = normalized.event
  expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(payloadBytesMax)
  expect(payload.includes('dropped from the payload: the event is too large')).toBe(true)
  expect(exceptions[0]?.frames).toHaveLength(250)
  expect(threads[0]?.frames).toHaveLength(250)
  expect(request?.url).toBe('http://x/')
})

test('the order of the fields in the stored text does not depend on the order sent', () => {
  const frame = {
    symbol: 's',
    vars: { a: 1 },
    context_line: 'x',
    in_app: true,
    lineno: 1,
    abs_path: '/a.py',
    filename: 'a.py',
    module: 'm',
    function: 'f',
  }
  const sent = {
    sdk: { name: 'n' },
    extra: { a: 1 },
    tags: { a: 'b' },
    user: { id: 1 },
    exception: { stacktrace: { frames: [frame] }, value: 'v', type: 'T' },
    release: 'r',
    level: 'info',
    message: 'm',
    platform: 'python',
  }
  const stored = JSON.parse(payloadOf(sent))
  expect(Object.keys(stored).join()).toBe(
    'event_id,timestamp,received,platform,level,type,release,logentry,exception,tags,user,extra,sdk',
  )
  const [exception] = stored.exception.values
  expect(Object.keys(exception).join()).toBe('type,value,stacktrace')
  expect(Object.keys(exception.stacktrace.frames[0]).join()).toBe(
    'function,module,filename,abs_path,lineno,in_app,context_line,vars,symbol',
  )
})
