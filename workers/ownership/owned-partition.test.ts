/**
 * Take-overs while another owner commits or the broker changes its streams. The calls of each step
 * are recorded.
 */
import { expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { planOf } from '../../test/fixtures/workers/test-partition.ts'
import { createWorkerMetrics } from '../metrics.ts'
import type { Cursor, StreamState, TakenPartition } from '../partitions/ports.ts'
import { type PartitionContext, takeOver } from './owned-partition.ts'

const cursor: Cursor = { partition: 0, epoch: 2, generation: 1, committedSeq: 20, plannedSeq: 24 }
const plan = planOf(24)

interface Finds {
  /** States of the stream by call; the last one is repeated. */
  readonly streams: readonly StreamState[]
  readonly incarnation: string
  readonly beforeTakeOver?: () => void
}

/** Takes over a partition with the given cursor, and returns the calls in order. */
async function run({ streams, incarnation, beforeTakeOver }: Finds, stop: AbortController) {
  const calls: string[] = []
  let asked = 0
  const ctx: PartitionContext = {
    ranges: {
      takeOver: async (_, stream): Promise<TakenPartition> => {
        calls.push('take over')
        beforeTakeOver?.()
        const isCut = cursor.plannedSeq > stream.lastSeq
        const reset = stream.createdAt !== incarnation ? 'new_stream' : isCut ? 'tail_cut' : 'none'
        return { cursor, plan, frames: [], isNoted: false, reset }
      },
      beginGeneration: async (_, { createdAt }) => {
        calls.push(`begin in ${createdAt}`)
        return { ...cursor, generation: 2, committedSeq: 0, plannedSeq: 0 }
      },
      readSettings: async () => [],
      readSamplers: async () => [],
      readBursts: async () => [],
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
      newestPosition: async () => undefined,
      knownIds: { read: async () => {}, among: async () => [] },
    },
    digest: () => Promise.reject(new Error('nothing is digested here')),
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    sleep: async () => {},
    log: createLogger('test', 'silent'),
    metrics: createWorkerMetrics(),
    retentionDays: 90,
    partitionCount: 1,
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
  const owned = await takeOver(ctx, source, stop.signal).catch(() => undefined)
  return { calls, owned }
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
