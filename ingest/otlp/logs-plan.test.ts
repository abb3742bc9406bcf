/** Limits of a batch, and of the work in one turn. */
import { expect, test } from 'vitest'
import type { EventId, ProjectId } from '#schemas/ids.ts'
import { MiB } from '#schemas/limits.ts'
import { otlpEventsPerRequestMax } from '#schemas/wire/otlp-log.ts'
import { UnsupportedTypes } from '../intake/unsupported-types.ts'
import { LogsPlan } from './logs-plan.ts'
import { jsonEncoding } from './otlp-encoding.ts'

const ctx = {
  unsupportedTypes: new UnsupportedTypes(),
  newEventId: () => 'f'.repeat(32) as EventId,
}

interface Batch {
  readonly count: number
  readonly resourceCharacters?: number
  readonly bodyCharacters?: number
}

function begin({ count, resourceCharacters = 0, bodyCharacters = 0 }: Batch, projectId = 42) {
  const logRecords = Array.from({ length: count }, (_, index) => ({
    timeUnixNano: String(index + 1),
    severityNumber: 17,
    body: { stringValue: 'x'.repeat(bodyCharacters) },
  }))
  const large = { key: 'large', value: { stringValue: 'x'.repeat(resourceCharacters) } }
  const request = {
    resourceLogs: [{ resource: { attributes: [large] }, scopeLogs: [{ logRecords }] }],
  }
  const bytes = Buffer.from(JSON.stringify(request))
  const found = jsonEncoding.scan(bytes)
  if (found.kind === 'malformed') throw new Error(found.cause)
  const key = { projectId: projectId as ProjectId }
  return new LogsPlan(ctx, key, { encoding: jsonEncoding, found, bytes })
}

function run(plan: LogsPlan) {
  let turns = 1
  while (plan.advance() === 'more') turns += 1
  const { plan: planned, bytes } = plan.planned()
  const rejected = planned.outcomes.map(({ reason, quantity }) => `${reason} ${quantity}`)
  return { turns, events: planned.events, bytes, rejected, reply: String(planned.reply.body) }
}

test('a resource that is repeated in too many events ends a batch of any size', () => {
  const { events, bytes, rejected, reply } = run(begin({ count: 500, resourceCharacters: 200_000 }))
  expect(bytes.length).toBeLessThan(49 * MiB)
  expect(events.length).toBeGreaterThan(200)
  expect(rejected).toEqual([`too_large ${500 - events.length}`])
  expect(JSON.parse(reply)).toMatchObject({
    partialSuccess: { rejectedLogRecords: String(500 - events.length) },
  })
})

test('events that are too large to be accepted also count towards that limit', () => {
  // Each event is serialised once to measure it, so their total size is limited.
  const { turns, events, rejected } = run(begin({ count: 2000, resourceCharacters: 1.2 * MiB }))
  expect(events).toEqual([])
  expect(rejected).toEqual(['too_large 2000'])
  expect(turns).toBeLessThan(100)
})

test('a record that is far too large is not decoded', () => {
  const { rejected, turns } = run(begin({ count: 1, bodyCharacters: 5 * MiB }))
  expect({ rejected, turns }).toEqual({ rejected: ['too_large 1'], turns: 1 })
})

test('a batch has a maximum number of errors', () => {
  const { events, rejected } = run(begin({ count: otlpEventsPerRequestMax + 7 }))
  expect(events).toHaveLength(otlpEventsPerRequestMax)
  expect(rejected).toEqual(['too_many_items 7'])
})

test('one turn processes a limited number of records and bytes', () => {
  expect(run(begin({ count: 64 })).turns).toBe(1)
  expect(run(begin({ count: 65 })).turns).toBe(2)
  expect(run(begin({ count: 12, resourceCharacters: 300_000 })).turns).toBe(6)
})

test('each event is a range of the bytes', () => {
  const { events, bytes } = run(begin({ count: 3, bodyCharacters: 100_000 }))
  const texts = events.map(({ start, end }) => bytes.toString('utf8', start, end))
  expect(texts.map((text) => JSON.parse(text).logentry.formatted.length)).toEqual(
    Array(3).fill(100_000),
  )
})

test('ids are the same in every attempt, and differ between projects', () => {
  const idsOf = (projectId: number) =>
    run(begin({ count: 5 }, projectId)).events.map(({ eventId }) => eventId)
  expect(idsOf(42)).toEqual(idsOf(42))
  expect(new Set([...idsOf(42), ...idsOf(43)]).size).toBe(10)
})
