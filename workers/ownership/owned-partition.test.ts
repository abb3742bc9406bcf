/**
 * Take-overs while another owner commits or the broker changes its streams. The calls of each step
 * are recorded.
 */

import { expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { firstLayout } from '#schemas/bus/layout.ts'
import { planOf } from '../../test/fixtures/workers/test-partition.ts'
import { createWorkerMetrics } from '../metrics.ts'
import type { Cursor, StoredPosition, StreamState, TakenPartition } from '../partitions/ports.ts'
import { type PartitionContext, PostgresOlderError, takeOver } from './owned-partition.ts'

const cursor: Cursor = { partition: 0, epoch: 2, generation: 1, committedSeq: 20, plannedSeq: 24 }
const plan = planOf(24)

interface Finds {
  /** States of the stream by call; the last one is repeated. */
  readonly streams: readonly StreamState[]
  readonly incarnation: string
  readonly beforeTakeOver?: () => void
  /** What ClickHouse knows of the partition. */
  readonly newest?: StoredPosition | undefined
  readonly isNoted?: boolean
}

/** Takes over a partition with the given cursor, and returns the calls in order. */
async function run(
  { streams, incarnation, beforeTakeOver, newest, isNoted = false }: Finds,
  stop: AbortController,
) {
  const calls: string[] = []
  let asked = 0
  const ctx: PartitionContext = {
    ranges: {
      takeOver: async (_, stream): Promise<TakenPartition> => {
        calls.push('take over')
        beforeTakeOver?.()
        const isCut = cursor.plannedSeq > stream.lastSeq
        const reset = stream.createdAt !== incarnation ? 'new_stream' : isCut ? 'tail_cut' : 'none'
        return { cursor, plan, frames: [], isNoted, reset }
      },
      beginGeneration: async (_, { createdAt }) => {
        calls.push(`begin in ${createdAt}`)
        return { ...cursor, generation: 2, committedSeq: 0, plannedSeq: 0 }
      },
      readSettings: async () => [],
      readSamplers: async () => [],
      readBursts: async () => [],
      readIssueRules: async () => [],
      readAlertRules: async () => [],
      plan: async () => cursor,
      commit: async () => ({ newIssues: 0, regressedIssues: 0 }),
      readItemIds: async () => undefined,
      itemIdsAmong: async () => [],
      readCursor: async () => cursor,
      rehearse: async () => {},
    },
    rows: {
      insert: async () => {},
      undo: async ({ cursor: { committedSeq, plannedSeq } }) => {
        calls.push(`undo ${committedSeq}-${plannedSeq}`)
      },
      check: async () => {},
      note: async () => {},
      newestPosition: async () => newest,
      knownIds: { read: async () => {}, among: async () => [] },
    },
    digest: () => Promise.reject(new Error('nothing is digested here')),
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    sleep: async () => {},
    log: createLogger('test', 'silent'),
    metrics: createWorkerMetrics(),
    retentionDays: 90,
    layout: firstLayout({ partitions: 1, streams: 1 }),
  }
  const source = {
    partition: 0,
    readStream: async () => streams[Math.min(asked++, streams.length - 1)]!,
    rangeIntervalMs: () => 1_000,
    openLog: (afterSeq: number) => {
      calls.push(`read from ${afterSeq}`)
      return {
        lastSeq: afterSeq,
        take: async () => [],
        takeThrough: async () => [],
        close: async () => {},
      }
    },
  }
  let error: unknown
  const owned = await takeOver(ctx, source, stop.signal).catch((thrown: unknown) => {
    error = thrown
    return undefined
  })
  return { calls, owned, error, metrics: ctx.metrics }
}

const at = (createdAt: string, lastSeq: number): StreamState => ({ createdAt, lastSeq })

// biome-ignore format: the columns are the point
test.each([
  ['an unchanged stream                               ', [at('one', 24)],                             ['take over', 'read from 20']],
  ['a truncated stream                                ', [at('one', 14)],                             ['take over', 'undo 20-24', 'begin in one', 'read from 0']],
  ['another stream                                    ', [at('two', 14)],                             ['take over', 'undo 20-24', 'begin in two', 'read from 0']],
  ['a stream that grows during the take-over          ', [at('one', 14), at('one', 24)],              ['take over', 'read from 20']],
  ['a stream recreated before the take-over           ', [at('two', 14), at('one', 24)],              ['take over', 'take over', 'read from 20']],
  ['a stream recreated twice during the take-over     ', [at('two', 3), at('three', 5)],              ['take over', 'take over', 'undo 20-24', 'begin in three', 'read from 0']],
] as const)('finds %s', async (_name, streams, want) => {
  const { calls } = await run({ streams, incarnation: 'one' }, new AbortController())
  expect(calls).toEqual(want)
})

test('an owner that lost its lock during a take-over undoes no range and begins no generation', async () => {
  const stop = new AbortController()
  const { calls, owned } = await run(
    { streams: [at('two', 3)], incarnation: 'one', beforeTakeOver: () => stop.abort() },
    stop,
  )
  expect(calls).toEqual(['take over'])
  expect(owned).toBeUndefined()
})

const unchanged = { streams: [at('one', 24)], incarnation: 'one' }

// biome-ignore format: the columns are the point
test.each([
  ['nothing                                 ', undefined,                                       ['take over', 'read from 20']],
  ['the committed range                     ', { generation: 1, seq: 20 },                       ['take over', 'read from 20']],
  ['the planned range                       ', { generation: 1, seq: 24 },                       ['take over', 'read from 20']],
  ['a range of an earlier generation        ', { generation: 0, seq: 99 },                       ['take over', 'read from 20']],
  ['the planned range, and an undo has begun', { generation: 1, seq: 24, isUndone: true },       ['take over', 'undo 20-24', 'begin in one', 'read from 0']],
] as const)('compares with ClickHouse, which knows %s', async (_name, newest, want) => {
  const { calls } = await run({ ...unchanged, newest }, new AbortController())
  expect(calls).toEqual(want)
})

test.each([
  { generation: 1, seq: 25 },
  { generation: 2, seq: 1 },
])('digests nothing when ClickHouse knows more than was planned: %o', async (newest) => {
  const { calls, error } = await run({ ...unchanged, newest }, new AbortController())
  expect(error).toBeInstanceOf(PostgresOlderError)
  expect(calls).toEqual(['take over'])
})

test.each([
  ['is missing', undefined, true, 1],
  ['is there', { generation: 1, seq: 20 }, true, 0],
  ['was never written', undefined, false, 0],
] as const)(
  'reports an older ClickHouse when a committed range %s',
  async (_name, newest, isNoted, older) => {
    const { metrics } = await run({ ...unchanged, newest, isNoted }, new AbortController())
    expect((await metrics.clickhouseOlder.get()).values[0]?.value).toBe(older)
  },
)
