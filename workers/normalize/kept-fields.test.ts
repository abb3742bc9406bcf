/** Rarely sent fields that are kept and given back, and the marks of what was cut. */
import { describe, expect, test } from 'vitest'
import type { EventId } from '#schemas/ids.ts'
import { framesPerStackMax, payloadBytesMax } from '#schemas/limits.ts'
import { normalizeEvent } from './normalize-event.ts'
import { rootFramesKept } from './stacks/normalize-frames.ts'

// biome-ignore lint/suspicious/noExplicitAny: the payload is JSON of any shape.
type Stored = any

function stored(payload: unknown): Stored {
  return storedBytes(Buffer.from(JSON.stringify(payload)))
}

function storedBytes(payload: Uint8Array): Stored {
  const normalized = normalizeEvent({
    payload,
    eventId: 'a'.repeat(32) as EventId,
    receivedAtMs: Date.UTC(2026, 10, 20),
  })
  if (normalized.kind !== 'event') throw new Error(normalized.kind)
  return JSON.parse(normalized.event.payload)
}

const lock = { type: 2, address: '0x0d3a2f0a', package_name: 'java.lang', class_name: 'Object' }
const inException = (fields: object) => ({
  exception: { values: [{ type: 'E', value: 'v', ...fields }] },
})
const inFrame = (fields: object) =>
  inException({ stacktrace: { frames: [{ function: 'f', ...fields }] } })
const exceptionOf = (event: Stored) => event.exception.values[0]
const frameOf = (event: Stored) => exceptionOf(event).stacktrace.frames[0]
const threadOf = (event: Stored) => event.threads.values[0]
const traceContext = {
  type: 'trace',
  trace_id: '0123456789abcdef0123456789abcdef',
  span_id: '0123456789abcdef',
  parent_span_id: 'fedcba9876543210',
  op: 'http.server',
  status: 'internal_error',
  origin: 'auto.http.django',
  data: { 'http.route': '/pay', 'thread.id': '1' },
  dynamic_sampling_context: { sampled: 'true', sample_rate: '1.0' },
}

// biome-ignore format: the columns are the point
test.each([
  ['the stack before it was translated', inException({ raw_stacktrace: { frames: [{ function: 'a', lineno: 1 }] } }), (e: Stored) => exceptionOf(e).raw_stacktrace.frames, [{ function: 'a', lineno: 1 }]],
  ['the same of a thread             ', { threads: [{ id: 1, raw_stacktrace: { frames: [{ function: 'a' }] } }] }, (e: Stored) => threadOf(e).raw_stacktrace.frames, [{ function: 'a' }]],
  ['data of a frame                  ', inFrame({ data: { symbolicated: true, sourcemap: 'a.js.map' } }), (e: Stored) => frameOf(e).data, { symbolicated: true, sourcemap: 'a.js.map' }],
  ['a lock of a frame (Android ANR)  ', inFrame({ lock }), (e: Stored) => frameOf(e).lock, lock],
  ['how a native frame was found     ', inFrame({ trust: 'cfi' }), (e: Stored) => frameOf(e).trust, 'cfi'],
  ['the start of an asynchronous part', inFrame({ stack_start: true }), (e: Stored) => frameOf(e).stack_start, true],
  ['no start is not stored           ', inFrame({ stack_start: false }), (e: Stored) => frameOf(e).stack_start, undefined],
  ['locks that a thread holds        ', { threads: [{ id: 1, held_locks: { '0x1': lock } }] }, (e: Stored) => threadOf(e).held_locks, { '0x1': lock }],
  ['the system of a native crash     ', { debug_meta: { sdk_info: { sdk_name: 'iOS', version_major: 17 } } }, (e: Stored) => e.debug_meta, { sdk_info: { sdk_name: 'iOS', version_major: 17 } }],
  ['the same beside images           ', { debug_meta: { sdk_info: { sdk_name: 'iOS' }, images: [{ type: 'macho' }] } }, (e: Stored) => e.debug_meta, { images: [{ type: 'macho' }], sdk_info: { sdk_name: 'iOS' } }],
  ['the whole trace context          ', { contexts: { trace: traceContext } }, (e: Stored) => e.contexts.trace, traceContext],
  ['the kind of API                  ', { request: { api_target: 'graphql' } }, (e: Stored) => e.request, { api_target: 'graphql' }],
  ['faults that the client found     ', { errors: [{ type: 'invalid_data', name: 'tags', value: [1] }] }, (e: Stored) => e.errors, [{ type: 'invalid_data', name: 'tags', value: [1] }]],
  ['frames that the client left out  ', inException({ stacktrace: { frames: [{ function: 'f' }], frames_omitted: [1, 12] } }), (e: Stored) => exceptionOf(e).stacktrace.frames_omitted, [1, 12]],
] as const)('%s', (_name, sent, read, want) => {
  const event = stored(sent)
  expect(read(event)).toEqual(want)
  expect(read(stored({ ...event, notes: undefined }))).toEqual(want)
})

const wrongTypes = [null, true, 0, '', 'text', [], [[]], {}, [null], { a: null }]
const fields: readonly (readonly [string, (value: unknown) => object])[] = [
  ['raw_stacktrace', (raw_stacktrace) => inException({ raw_stacktrace })],
  ['frame', (value) => inFrame({ data: value, lock: value, trust: value, stack_start: value })],
  [
    'frames_omitted',
    (value) => inException({ stacktrace: { frames: [{}], frames_omitted: value } }),
  ],
  [
    'held_locks',
    (held_locks) => ({ threads: [{ id: 1, held_locks, raw_stacktrace: held_locks }] }),
  ],
  ['sdk_info', (sdk_info) => ({ debug_meta: { sdk_info } })],
  ['api_target', (api_target) => ({ request: { api_target, url: 'http://h' } })],
  ['errors', (errors) => ({ errors })],
  ['_meta', (_meta) => ({ _meta, message: 'x'.repeat(9_000) })],
]

test.each(fields)('%s of a wrong type does not cost the event', (_name, build) => {
  for (const value of wrongTypes) expect(() => stored(build(value))).not.toThrow()
  for (const omitted of [
    [2, 1],
    [-1, 5],
    [0, 1e300],
    ['0', '1'],
    [0.5, 2],
  ]) {
    const { stacktrace } = exceptionOf(
      stored(inException({ stacktrace: { frames: [{}], frames_omitted: omitted } })),
    )
    expect(stacktrace.frames_omitted).toBeUndefined()
  }
})

describe('What was cut', () => {
  // As recorded from two versions of one SDK: the first cuts texts itself, the second does not.
  const python1 = {
    exception: { values: [{ type: 'ValueError', value: `${'v'.repeat(1_021)}...` }] },
    _meta: {
      exception: {
        values: {
          '0': {
            value: { '': { len: 9_000, rem: [['!limit', 'x', 1021, 1024]] } },
            stacktrace: { frames: { '0': { vars: { many: { '': { len: 50 } } } } } },
          },
        },
      },
    },
  }
  const python2 = { exception: { values: [{ type: 'ValueError', value: 'v'.repeat(9_000) }] } }

  test('the remarks of a client are kept as it wrote them', () => {
    expect(stored(python1)._meta).toEqual(python1._meta)
  })

  test('a text that is cut here is marked in the same way', () => {
    const event = stored(python2)
    expect(exceptionOf(event).value).toHaveLength(8_192)
    expect(event._meta.exception.values['0'].value['']).toEqual({
      len: 9_000,
      rem: [['!limit', 's', 8_191, 8_192]],
    })
    expect(stored({ ...event, notes: undefined })._meta).toEqual(event._meta)
  })

  test('a text that both cut has the length that the program had', () => {
    const value = { '': { len: 50_000, rem: [['!limit', 'x', 8_999, 9_000]] } }
    const meta = stored({ ...python2, _meta: { exception: { values: { '0': { value } } } } })._meta
    expect(meta.exception.values['0'].value['']).toEqual({
      len: 50_000,
      rem: [
        ['!limit', 'x', 8_999, 9_000],
        ['!limit', 's', 8_191, 8_192],
      ],
    })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a plain message   ', { message: 'm'.repeat(10_000) }],
    ['a finished message', { logentry: { message: '%s', formatted: 'm'.repeat(10_000) } }],
    ['a log entry       ', { logentry: 'm'.repeat(10_000) }],
  ] as const)('%s', (_name, sent) => {
    const event = stored(sent)
    expect(event.logentry.formatted).toHaveLength(8_192)
    expect(event._meta.logentry.formatted[''].len).toBe(10_000)
  })

  test('a text of the maximum length is not marked', () => {
    expect(stored({ message: 'm'.repeat(8_192) })._meta).toBeUndefined()
  })

  test('deep and long remarks are bounded', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`)
    const many = Object.fromEntries(
      Array.from({ length: 9_000 }, (_, i) => [`k${i}`, { '': { len: i } }]),
    )
    const text = JSON.stringify(stored({ _meta: { deep, many } })._meta)
    expect(text.length).toBeLessThan(200_000)
  })

  test('frames left out by the client and here are counted together', () => {
    const frames = Array.from({ length: 300 }, (_, index) => ({ function: `f${index}` }))
    const stack = exceptionOf(
      stored(inException({ stacktrace: { frames, frames_omitted: [20, 120] } })),
    ).stacktrace
    const [from, to] = stack.frames_omitted
    expect(to - from).toBe(300 - framesPerStackMax + 100)
    expect(from).toBe(rootFramesKept)
    expect(stack.frames.at(-1).function).toBe('f299')
  })

  test('a raw stack is left out of a payload that is too large before anything else', () => {
    // JSON writes each of these four-character numbers with 21 digits.
    const vars = `{"a":[${Array(30).fill('1e20').join()}]}`
    const raw = `{"frames":[${Array(200).fill(`{"function":"r","vars":${vars}}`).join()}]}`
    const one = `{"type":"E","stacktrace":{"frames":[{"function":"f"}]},"raw_stacktrace":${raw}}`
    const event = storedBytes(Buffer.from(`{"exception":[${Array(28).fill(one).join()}]}`))
    expect(event.exception.values).toHaveLength(28)
    expect(exceptionOf(event).raw_stacktrace).toBeUndefined()
    expect(frameOf(event)).toEqual({ function: 'f' })
    expect(event.notes.map(({ field }: { field: string }) => field)).toEqual(['raw_stacktrace'])
  })

  test('stacks that are too large keep both ends and count the rest', () => {
    // Each invalid byte becomes three.
    const frameOfNo = (no: number) => `{"function":"f${no}","package":"${'\xff'.repeat(120)}"}`
    const frames = Array.from({ length: 230 }, (_, no) => frameOfNo(no)).join()
    const one = `{"type":"E","stacktrace":{"frames":[${frames}],"frames_omitted":[1,4]}}`
    const text = `{"exception":[${Array(26).fill(one).join()}]}`
    const event = storedBytes(Buffer.from(text, 'latin1'))
    expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThanOrEqual(payloadBytesMax)
    const { stacktrace } = exceptionOf(event)
    const names = stacktrace.frames.map((frame: { function: string }) => frame.function)
    expect(names).toHaveLength(20)
    expect([names[0], names[4], names[5], names[19]]).toEqual(['f0', 'f4', 'f215', 'f229'])
    expect(stacktrace.frames_omitted).toEqual([5, 5 + 210 + 3])
  })
})
