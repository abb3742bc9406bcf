import { expect, test } from 'vitest'
import type { EventId } from '#schemas/ids.ts'
import { groupEvent } from '../grouping/group-v1.ts'
import { normalizeEvent } from '../normalize/normalize-event.ts'
import { failureEvent, failureHash } from './failure-event.ts'
import { defaultConfig } from './fold-monitor.ts'
import type { MonitorFailure } from './monitor-run.ts'

const atMs = Date.parse('2026-11-21T10:11:00Z')
const traceId = 'f8250000000000000000000000009649'
const monitor = { id: '0198a', slug: 'nightly', config: defaultConfig }

type TestFailure = MonitorFailure & { readonly environment: string }

function failureOf(fields: Partial<TestFailure> = {}): TestFailure {
  return {
    kind: 'missed',
    run: {
      id: 'a'.repeat(32),
      status: 'missed',
      result: undefined,
      expectedAtMs: Date.parse('2026-11-21T10:10:00Z'),
      startedAtMs: undefined,
      closedAtMs: undefined,
      durationMs: undefined,
      timeoutAtMs: undefined,
      release: 'app@1.0.0',
      trace: { traceId, spanId: '00f067aa0ba902b7' },
      eventId: 'b'.repeat(32),
    },
    atMs,
    incident: { kind: 'missed', openedAtMs: atMs, lastEventMs: atMs },
    lastOkMs: Date.parse('2026-11-21T10:00:05Z'),
    environment: 'staging',
    ...fields,
  }
}

function normalized(failure: TestFailure) {
  const result = normalizeEvent({
    payload: Buffer.from(JSON.stringify(failureEvent(monitor, failure))),
    eventId: failure.run.eventId as EventId,
    receivedAtMs: atMs,
    client: 'sluice.monitors',
  })
  if (result.kind !== 'event') throw new Error('the event was refused')
  return result.event
}

test('a missed run is an error event of its monitor, environment and time', () => {
  const event = normalized(failureOf())
  expect(event).toMatchObject({
    eventId: 'b'.repeat(32),
    occurredAtMs: atMs,
    level: 'error',
    platform: 'other',
    environment: 'staging',
    release: 'app@1.0.0',
  })
  expect(JSON.parse(Buffer.from(event.payload).toString('utf8'))).toMatchObject({
    tags: expect.anything(),
    contexts: {
      monitor: { id: '0198a', slug: 'nightly', status: 'missed' },
      trace: { trace_id: traceId },
    },
    extra: {
      reason: 'A run was missed',
      expected_at: '2026-11-21T10:10:00.000Z',
      last_ok_check_in: '2026-11-21T10:00:05.000Z',
    },
  })
  const grouping = groupEvent(event)
  expect([grouping.title, grouping.culprit]).toEqual([
    'Monitor failure: nightly',
    'A run was missed',
  ])
})

// biome-ignore format: the columns are the point
test.each([
  ['missed',      'missed',      'staging'],
  ['overrunning', 'missed',      'staging'],
  ['error',       'overrunning', 'production'],
] as const)('an event of a run that is %s goes to the issue of an incident that opened as %s', (kind, opened, environment) => {
  const incident = { kind: opened, openedAtMs: atMs, lastEventMs: atMs }
  const event = normalized(failureOf({ kind, incident, environment }))
  expect(groupEvent(event).hashes[0].hash).toBe(failureHash('nightly', environment, opened))
})

test('each monitor, environment and kind of failure has its own issue', () => {
  const hashes = [
    failureHash('nightly', 'production', 'missed'),
    failureHash('hourly', 'production', 'missed'),
    failureHash('nightly', 'staging', 'missed'),
    failureHash('nightly', 'production', 'error'),
  ]
  expect(new Set(hashes).size).toBe(4)
})
