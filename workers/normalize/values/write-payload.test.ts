import { expect, test } from 'vitest'
import type { EventId } from '#schemas/ids.ts'
import { eventBytesMax, payloadBytesMax } from '#schemas/limits.ts'
import { normalizeEvent } from '../normalize-event.ts'

function payloadOf(event: unknown): string {
  const payload = Buffer.from(typeof event === 'string' ? event : JSON.stringify(event))
  const eventId = 'a'.repeat(32) as EventId
  const normalized = normalizeEvent({ payload, eventId, receivedAtMs: Date.UTC(2026, 10, 20) })
  if (normalized.kind !== 'event') throw new Error(normalized.kind)
  return normalized.event.payload
}

// Digits that JSON writes in five times the room: the one way in which a payload grows on the way through.
const growing = Array(30).fill('1e20').join()

test('a payload that grew too large loses its variables first and keeps its stack', () => {
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
