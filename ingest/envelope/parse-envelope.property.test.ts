import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseEnvelope } from './parse-envelope.ts'

const seed = 20_261_121

/** Bytes that are nearly an envelope: most bugs of parsers are found close to valid input. */
const pieces = fc.oneof(
  fc.constantFrom(
    '{}',
    '\n',
    '\r',
    '{"type":"event"}',
    '{"type":"event","length":2}',
    '{"type":"a","length":0}',
    '{"type":"a","length":null}',
    '{"type":"é"}',
    '{"type":"\\n","length":3}',
    '{"length":1}',
    '[]',
    '{"a":{"b":[1,2.5,-3,true,null]}}',
    '{ "type" : "b" }',
    '{"type":"a","length":1e1}',
    '"',
    '\\',
    '{',
  ),
  fc.string({ maxLength: 6 }),
)
const nearlyEnvelope = fc
  .array(pieces, { maxLength: 12 })
  .chain((parts) => fc.constantFrom(parts.join(''), parts.join('\n')))
  .map((text) => Buffer.from(text))

const wellFormed = fc
  .array(
    fc.record({
      type: fc.constantFrom('event', 'attachment', 'x'),
      payload: fc.uint8Array({ maxLength: 12 }),
      hasLength: fc.boolean(),
    }),
    { maxLength: 5 },
  )
  .map((items) => {
    const parts = [Buffer.from('{"sdk":{"name":"s"}}\n')]
    for (const { type, payload, hasLength } of items) {
      const bytes = hasLength ? payload : payload.filter((byte) => byte !== 0x0a)
      const length = hasLength ? `,"length":${bytes.length}` : ''
      parts.push(
        Buffer.from(`{"type":"${type}"${length}}\n`),
        Buffer.from(bytes),
        Buffer.from('\n'),
      )
    }
    return Buffer.concat(parts)
  })

test('the parser never throws', () => {
  const anyBytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    nearlyEnvelope,
  )
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      const envelope = parseEnvelope(bytes)
      if (envelope.kind === 'malformed') return
      let before = 0
      for (const { start, end } of envelope.items) {
        expect(start).toBeGreaterThanOrEqual(before)
        expect(end).toBeGreaterThanOrEqual(start)
        expect(end).toBeLessThanOrEqual(bytes.length)
        before = end
      }
    }),
    { seed, numRuns: 3000 },
  )
})

test('an envelope cut at any byte is malformed or a prefix of its items', () => {
  fc.assert(
    fc.property(wellFormed, (bytes) => {
      const whole = parseEnvelope(bytes)
      if (whole.kind === 'malformed') throw new Error(whole.detail)
      for (let length = 0; length < bytes.length; length += 1) {
        const cut = parseEnvelope(bytes.subarray(0, length))
        if (cut.kind === 'malformed') continue
        expect(cut.items.length).toBeLessThanOrEqual(whole.items.length)
        cut.items.forEach((item, index) => {
          const original = whole.items[index]!
          expect(item.type).toBe(original.type)
          expect(item.start).toBeLessThanOrEqual(original.start)
          // Only the last item may be shorter: without a length its end is unknown.
          if (index < cut.items.length - 1) expect(item).toEqual(original)
          else expect(item.end).toBeLessThanOrEqual(original.end)
        })
      }
    }),
    { seed, numRuns: 200 },
  )
})

test('the parser agrees with a simple one without optimisations', () => {
  fc.assert(
    fc.property(fc.oneof(nearlyEnvelope, wellFormed), (bytes) => {
      const envelope = parseEnvelope(bytes)
      const items =
        envelope.kind === 'malformed'
          ? undefined
          : envelope.items.map(({ headerStart: _, ...item }) => item)
      expect(items).toEqual(parsePlainly(bytes))
    }),
    { seed, numRuns: 5000 },
  )
})

function parsePlainly(bytes: Buffer): { type: string; start: number; end: number }[] | undefined {
  const lineEndFrom = (start: number) => {
    const found = bytes.indexOf(0x0a, start)
    return found < 0 ? bytes.length : found
  }
  const objectAt = (start: number, end: number): Record<string, unknown> | undefined => {
    try {
      const parsed: unknown = JSON.parse(bytes.subarray(start, end).toString())
      const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      return isObject ? { ...parsed } : undefined
    } catch {
      return undefined
    }
  }
  let at = lineEndFrom(0)
  if (objectAt(0, at) === undefined) return undefined
  at += 1
  const items: { type: string; start: number; end: number }[] = []
  while (at < bytes.length && bytes.subarray(at).some((byte) => byte !== 0x0a)) {
    const headerEnd = lineEndFrom(at)
    const header = objectAt(at, headerEnd)
    if (typeof header?.['type'] !== 'string') return undefined
    const start = Math.min(headerEnd + 1, bytes.length)
    const length = header['length'] ?? lineEndFrom(start) - start
    if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0) return undefined
    const end = start + length
    if (end > bytes.length || (end < bytes.length && bytes[end] !== 0x0a)) return undefined
    items.push({ type: header['type'], start, end })
    at = end + 1
  }
  return items
}
