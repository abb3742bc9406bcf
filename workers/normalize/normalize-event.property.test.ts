/** Properties that hold for any input. The seed is fixed, so that a failure can be reproduced. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EventId } from '#schemas/ids.ts'
import {
  breadcrumbsPerEventMax,
  exceptionsPerEventMax,
  framesPerStackMax,
  jsonDepthMax,
  payloadBytesMax,
  tagsPerEventMax,
} from '#schemas/limits.ts'
import { fieldCharactersMax } from './field-limits.ts'
import { normalizeEvent } from './normalize-event.ts'

const runs = { seed: 20_261_120, numRuns: 400 }
const eventId = '5f0c1d2e3a4b4c5d8e9f001122334455' as EventId
const receivedAtMs = Date.UTC(2026, 10, 20)
const normalize = (payload: Uint8Array) =>
  normalizeEvent({
    payload,
    eventId,
    receivedAtMs,
    sentAt: '2026-11-20T00:00:00Z',
    address: '192.0.2.1',
  })

/** Arbitrary code units: lone surrogates, NUL, combining marks. */
const wild = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
})
const text = fc.oneof(
  wild,
  fc.constantFrom('?', '{{auto}}', 'latest', 'E: v', 'http://h/p', '%s {}', '1e3', '__proto__'),
)
const anything = fc.oneof(
  { arbitrary: fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), weight: 2 },
  { arbitrary: text, weight: 2 },
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1e21, 2 ** 60, '', [], {}),
)
const maybe = (good: fc.Arbitrary<unknown>) => fc.oneof({ arbitrary: good, weight: 4 }, anything)
const record = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(fields, { requiredKeys: [] })
const dictionary = fc.dictionary(text, anything, { maxKeys: 6 })
const pairs = fc.array(fc.tuple(text, anything), { maxLength: 6 })

const frame = record({
  function: maybe(text),
  module: maybe(text),
  filename: maybe(text),
  abs_path: maybe(text),
  lineno: maybe(fc.nat()),
  in_app: anything,
  vars: maybe(dictionary),
  pre_context: maybe(fc.array(text)),
  context_line: text,
  instruction_addr: anything,
  data: maybe(dictionary),
  lock: maybe(dictionary),
  trust: maybe(text),
  stack_start: anything,
})
const stack = record({
  frames: maybe(fc.array(maybe(frame), { maxLength: 5 })),
  registers: anything,
  frames_omitted: maybe(fc.tuple(fc.nat(), fc.nat())),
})
const exception = record({
  type: maybe(text),
  value: maybe(text),
  module: text,
  stacktrace: maybe(stack),
  raw_stacktrace: maybe(stack),
  mechanism: maybe(
    record({ type: text, handled: anything, meta: anything, exception_id: anything }),
  ),
})
const values = (one: fc.Arbitrary<unknown>) => {
  const list = fc.array(maybe(one), { maxLength: 4 })
  return maybe(
    fc.oneof(
      list,
      list.map((items) => ({ values: items })),
      one,
    ),
  )
}
const event = record({
  event_id: anything,
  timestamp: maybe(fc.double()),
  level: anything,
  platform: maybe(fc.constantFrom('node', 'java')),
  exception: values(exception),
  threads: values(record({ id: anything, crashed: anything, stacktrace: stack })),
  stacktrace: maybe(stack),
  message: anything,
  tags: maybe(fc.oneof(dictionary, pairs)),
  logentry: maybe(record({ message: text, formatted: maybe(text), params: anything })),
  user: maybe(record({ id: anything, email: anything, ip_address: anything, data: dictionary })),
  request: maybe(
    record({
      url: text,
      query_string: maybe(pairs),
      headers: maybe(pairs),
      cookies: anything,
      data: anything,
      env: dictionary,
    }),
  ),
  contexts: maybe(fc.dictionary(text, maybe(dictionary))),
  extra: maybe(dictionary),
  modules: maybe(dictionary),
  breadcrumbs: values(record({ timestamp: anything, message: anything, data: maybe(dictionary) })),
  fingerprint: maybe(fc.array(anything)),
  sdk: maybe(record({ name: text, version: anything, settings: anything })),
  release: anything,
  dist: anything,
  environment: anything,
  culprit: anything,
  site: anything,
  csp: maybe(dictionary),
  debug_meta: maybe(
    record({ images: maybe(fc.array(maybe(record({ image_addr: anything, code_file: text })))) }),
  ),
})

/** Yields every text of a value, including the keys. */
function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    yield key
    yield* textsOf(inner)
  }
}

function* keysOf(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    yield key
    yield* keysOf(inner)
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

function expectSound(payload: Uint8Array): void {
  const normalized = normalize(payload)
  expect(normalize(payload)).toEqual(normalized)
  if (normalized.kind !== 'event') {
    if (normalized.kind === 'rejected') expect(normalized.detail).not.toBe('')
    return
  }
  const { event: got } = normalized
  for (const one of textsOf(got)) {
    if (!one.isWellFormed() || one.includes('\0')) expect.fail(`unclean: ${JSON.stringify(one)}`)
  }
  const stored = JSON.parse(got.payload)
  for (const one of textsOf(stored)) {
    if (!one.isWellFormed() || one.includes('\0')) expect.fail(`unclean: ${JSON.stringify(one)}`)
  }
  for (const key of keysOf(stored)) expect(key).not.toMatch(/^(?:constructor|prototype)$/)
  expect(Buffer.byteLength(got.payload)).toBeLessThanOrEqual(payloadBytesMax)
  expect(depthOf(stored)).toBeLessThanOrEqual(jsonDepthMax)
  expect(got.tags.length).toBeLessThanOrEqual(tagsPerEventMax)
  for (const [key, value] of got.tags) {
    expect(key).toMatch(/^[\w.:-]{1,200}$/)
    expect(value.length).toBeLessThanOrEqual(fieldCharactersMax.tagValue)
  }
  expect(got.exceptions.length).toBeLessThanOrEqual(exceptionsPerEventMax)
  for (const { frames, type, value, mechanism } of got.exceptions) {
    const code = mechanism?.nsError?.domain ?? mechanism?.signal?.name ?? ''
    expect(type + value + code !== '' || frames.length > 0).toBe(true)
    expect(frames.length).toBeLessThanOrEqual(framesPerStackMax)
  }
  expect(stored.breadcrumbs?.values.length ?? 0).toBeLessThanOrEqual(breadcrumbsPerEventMax)
  expect(stored.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(stored.exception?.values.length ?? 0).toBe(got.exceptions.length)
}

test('any bytes are an event or a rejection, never an exception', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), expectSound), runs)
})

test('any JSON value gives a valid event or a rejection', () => {
  const json = fc.jsonValue({ maxDepth: 8, stringUnit: 'binary' })
  fc.assert(
    fc.property(json, (value) => expectSound(Buffer.from(JSON.stringify(value)))),
    runs,
  )
})

test('any values in the attributes of an event give a valid event', () => {
  fc.assert(
    fc.property(event, (value) => expectSound(Buffer.from(JSON.stringify(value)))),
    runs,
  )
})

test('an event cut at any byte, or with any byte changed, never throws', () => {
  fc.assert(
    fc.property(event, fc.nat(), fc.integer({ min: 0, max: 255 }), (value, position, byte) => {
      const bytes = Buffer.from(JSON.stringify(value))
      const at = position % (bytes.length + 1)
      expectSound(bytes.subarray(0, at))
      bytes.fill(byte, at, at + 1)
      expectSound(bytes)
    }),
    { ...runs, numRuns: 200 },
  )
})

test('the result does not depend on the order of keys', () => {
  fc.assert(
    fc.property(event, (value) => {
      // Keys of free data may become equal when they are cleaned or cut: then the last one wins,
      // which depends on the order.
      const plain = JSON.parse(JSON.stringify(value, (_key, inner) => plainKeys(inner)))
      expect(comparable(reversedKeys(plain))).toEqual(comparable(plain))
    }),
    runs,
  )
})

function plainKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([key]) => /^[a-z_]{1,100}$/.test(key)))
}

function reversedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversedKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversedKeys(inner)]),
  )
}

/** Tags and notes are lists in the order of the input, which is not compared. */
function comparable(value: unknown): unknown {
  const normalized = normalize(Buffer.from(JSON.stringify(value)))
  if (normalized.kind !== 'event') return normalized
  const { payload, tags, ...rest } = normalized.event
  const { notes, tags: _tags, request, ...stored } = JSON.parse(payload)
  const noted = (notes ?? []).map((note: unknown) => JSON.stringify(note)).sort()
  return [rest, new Map(tags), stored, noted, request?.url, request?.data]
}

test('a stored payload that is sent again is stored unchanged', () => {
  fc.assert(
    fc.property(event, (value) => {
      const first = normalize(Buffer.from(JSON.stringify(value)))
      if (first.kind !== 'event') return
      const again = normalize(Buffer.from(first.event.payload))
      if (again.kind !== 'event') return expect.fail(again.kind)
      const { notes: _first, ...before } = JSON.parse(first.event.payload)
      const { notes: _again, ...after } = JSON.parse(again.event.payload)
      expect(after).toEqual(before)
    }),
    { ...runs, numRuns: 200 },
  )
})
