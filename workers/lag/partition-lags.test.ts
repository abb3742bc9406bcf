import { Registry } from 'prom-client'
import { beforeEach, expect, test } from 'vitest'
import { gauge } from '#platform/metrics/create-metric.ts'
import { workerMetrics } from '#schemas/metrics/worker-metrics.ts'
import { PartitionLags } from './partition-lags.ts'
import type { PartitionPosition, PartitionProgress } from './partition-position.ts'

const brokerAheadMs = 500_000
let nowMs: number
let registry: Registry
let isBrokerAway: boolean
let isPostgresAway: boolean
/** Times at which the broker stored messages, by partition and sequence. */
let stream: Map<number, Map<number, number>>
let committed: Map<number, number>
let owner: { positions: Map<number, PartitionPosition>; isConnected: boolean }
let lags: PartitionLags
let asked: number

function position(progress: PartitionProgress | undefined): PartitionPosition {
  return { secondsSinceCommit: 2, eventsPerMessage: 3, progress }
}

beforeEach(() => {
  nowMs = 1_000_000
  registry = new Registry()
  isBrokerAway = false
  isPostgresAway = false
  stream = new Map()
  committed = new Map()
  owner = { positions: new Map(), isConnected: true }
  asked = 0
  lags = new PartitionLags({
    owner,
    clock: { nowMs: () => 77, monotonicMs: () => nowMs },
    gauges: {
      lagSeconds: gauge(registry, workerMetrics.lagSeconds),
      lagEvents: gauge(registry, workerMetrics.lagEvents),
      secondsSinceCommit: gauge(registry, workerMetrics.secondsSinceCommit),
    },
    source: {
      streamOf: () => 'INGEST',
      lookAt: async () => {
        if (isBrokerAway) throw new Error('no responders')
        const messages = new Map([...stream].map(([partition, all]) => [partition, all.size]))
        return { createdAt: 'c', aheadMs: brokerAheadMs, messages }
      },
      storedAfter: async (_stream, partition, seq) => {
        asked += 1
        const all = stream.get(partition) ?? new Map<number, number>()
        for (const [at, storedAtMs] of all) if (at > seq) return storedAtMs
        return undefined
      },
      committedSeqs: async () => {
        if (isPostgresAway) throw new Error('connection refused')
        return committed
      },
    },
  })
})

async function reported(): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const line of (await registry.metrics()).split('\n')) {
    const [, name, partition, value] = /^workers_(\w+){partition="(\d+)"} (.*)$/.exec(line) ?? []
    if (name !== undefined) found[`${name} ${partition}`] = Number(value)
  }
  return found
}

/** The time of the broker some seconds ago. */
const secondsAgo = (seconds: number) => nowMs + brokerAheadMs - seconds * 1000

test('the age of the oldest message that was read, by the clock of the broker', async () => {
  const progress = { committedSeq: 4, oldestStoredAtMs: secondsAgo(7), messagesWaiting: 5 }
  owner.positions.set(0, position(progress))
  await lags.run()
  expect(await reported()).toEqual({
    'lag_seconds 0': 7,
    'lag_events 0': 15,
    'seconds_since_commit 0': 2,
  })
  expect(asked).toBe(0)
})

test('an idle partition has no lag, also while committed messages are not purged yet', async () => {
  stream.set(0, new Map([[4, secondsAgo(9)]]))
  owner.positions.set(
    0,
    position({ committedSeq: 4, oldestStoredAtMs: undefined, messagesWaiting: 0 }),
  )
  await lags.run()
  expect(await reported()).toMatchObject({ 'lag_seconds 0': 0, 'lag_events 0': 0 })
})

test('messages that the reader does not get are found on the broker', async () => {
  stream.set(
    0,
    new Map([
      [4, secondsAgo(99)],
      [5, secondsAgo(40)],
      [6, secondsAgo(1)],
    ]),
  )
  owner.positions.set(
    0,
    position({ committedSeq: 4, oldestStoredAtMs: undefined, messagesWaiting: 0 }),
  )
  await lags.run()
  expect(await reported()).toMatchObject({ 'lag_seconds 0': 40, 'lag_events 0': 9 })
})

test('a partition whose take-over hangs is measured from its cursor', async () => {
  stream.set(
    2,
    new Map([
      [8, secondsAgo(90)],
      [9, secondsAgo(30)],
    ]),
  )
  committed.set(2, 8)
  owner.positions.set(2, position(undefined))
  await lags.run()
  expect(await reported()).toMatchObject({ 'lag_seconds 2': 30 })
})

test('after the lock was lost with Postgres, the lag keeps growing until the owner is known', async () => {
  owner.positions.set(
    1,
    position({ committedSeq: 4, oldestStoredAtMs: undefined, messagesWaiting: 0 }),
  )
  await lags.run()
  isPostgresAway = true
  owner.positions.clear()
  owner.isConnected = false
  stream.set(
    1,
    new Map([
      [4, secondsAgo(5)],
      [5, secondsAgo(0)],
    ]),
  )
  nowMs += 120_000
  await lags.run()
  expect(await reported()).toMatchObject({ 'lag_seconds 1': 120, 'seconds_since_commit 1': 122 })
  // Another worker has committed and purged it meanwhile.
  stream.set(1, new Map())
  await lags.run()
  expect(await reported()).toMatchObject({ 'lag_seconds 1': 0 })
  owner.isConnected = true
  await lags.run()
  expect(await reported()).toEqual({})
})

test('while the broker is away, what was read still ages, and the round fails', async () => {
  const progress = { committedSeq: 4, oldestStoredAtMs: secondsAgo(7), messagesWaiting: 1 }
  owner.positions.set(0, position(progress))
  await lags.run()
  isBrokerAway = true
  nowMs += 60_000
  await expect(lags.run()).rejects.toThrow('no responders')
  expect(await reported()).toMatchObject({ 'lag_seconds 0': 67 })
})

test('a message from the future of the broker has no negative lag', async () => {
  const progress = { committedSeq: 4, oldestStoredAtMs: secondsAgo(-5), messagesWaiting: 1 }
  owner.positions.set(0, position(progress))
  await lags.run()
  expect(await reported()).toMatchObject({ 'lag_seconds 0': 0 })
})
