/** Delays of the loop while stores are unreachable. Its sleep is recorded and takes no time. */

import { expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { firstLayout } from '#schemas/bus/layout.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { eventFrame } from '../../test/fixtures/workers/event-frame.ts'
import { hashOf } from '../../test/fixtures/workers/range-output.ts'
import { digestRange } from '../digest/digest-range.ts'
import { createWorkerMetrics } from '../metrics.ts'
import { PartitionDigest } from './digest-partition.ts'
import { type Cursor, DataRefusedError, type LogMessage } from './ports.ts'
import { probeTokenPrefix } from './probe-stores.ts'

const away = new Error('the store is away')

/** Starts a partition with one range, whose inserts, rehearsals and take-overs fail as listed. */
function startRun(faults: { inserts?: Error[]; takeOvers?: Error[]; rehearsals?: Error[] }) {
  const { inserts = [], takeOvers = [], rehearsals = [] } = faults
  let undone = 0
  const sleeps: number[] = []
  let cursor: Cursor = { partition: 0, epoch: 1, generation: 1, committedSeq: 0, plannedSeq: 0 }
  const frame = eventFrame({ instanceId: hashOf('instance'), partition: 0, counter: 0 }, [
    { name: 'a', projectId: 1 as ProjectId },
  ])
  let messages: LogMessage[] = []
  let now = 0
  const digest = new PartitionDigest(
    {
      ranges: {
        takeOver: async () => {
          const fault = takeOvers.shift()
          if (fault) throw fault
          return { cursor, plan: undefined, frames: [], isNoted: false, reset: 'none' }
        },
        beginGeneration: async () => {
          cursor = { ...cursor, generation: cursor.generation + 1, committedSeq: 0, plannedSeq: 0 }
          return cursor
        },
        readSettings: async () => [],
        readSamplers: async () => [],
        readBursts: async () => [],
        readIssueRules: async () => [],
        readAlertRules: async () => [],
        plan: async (_, { plannedSeq }) => {
          cursor = { ...cursor, plannedSeq }
          return cursor
        },
        commit: async () => {
          cursor = { ...cursor, committedSeq: cursor.plannedSeq }
          void digest.stop()
          return { newIssues: 1, regressedIssues: 0 }
        },
        readItemIds: async () => undefined,
        itemIdsAmong: async () => [],
        readCursor: async () => cursor,
        // The stores accept the probe, which has no frames.
        rehearse: async ({ frames }) => {
          const fault = frames.length === 0 ? undefined : rehearsals.shift()
          if (fault) throw fault
        },
      },
      rows: {
        insert: async ({ token }) => {
          const fault = token.startsWith(probeTokenPrefix) ? undefined : inserts.shift()
          if (fault) throw fault
        },
        undo: async () => {
          undone += 1
        },
        check: async () => {},
        note: async () => {},
        newestPosition: async () => undefined,
        knownIds: { read: async () => {}, among: async () => [] },
      },
      digest: async (input) => digestRange(input),
      clock: { nowMs: () => now, monotonicMs: () => now },
      sleep: async (ms) => {
        sleeps.push(ms)
        now += ms
      },
      log: createLogger('test', 'silent'),
      metrics: createWorkerMetrics(),
      retentionDays: 90,
      layout: firstLayout({ partitions: 1, streams: 1 }),
    },
    {
      partition: 0,
      readStream: async () => ({ createdAt: 'then', lastSeq: 1 }),
      rangeIntervalMs: () => 1_000,
      openLog: () => {
        // A reader from the start of the stream gets the frame again.
        messages = [{ streamSeq: 1, bytes: frame }]
        return {
          lastSeq: 1,
          take: async () => {
            const taken = messages
            messages = []
            return taken
          },
          takeThrough: async () => [],
          close: async () => {},
        }
      },
    },
  )
  return { sleeps, end: digest.run(), undone: () => undone }
}

test('an unreachable store is retried with a delay that doubles up to five seconds', async () => {
  const run = startRun({ inserts: new Array<Error>(8).fill(away) })
  expect(await run.end).toBe('stopped')
  expect(run.sleeps).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000])
})

test('a failed take-over is retried with the same delays, which are reset after it succeeded', async () => {
  const run = startRun({ takeOvers: [away, away], inserts: [away] })
  expect(await run.end).toBe('stopped')
  expect(run.sleeps).toEqual([250, 500, 250])
})

test('refused rows are retried with the same delays, because a race may have been the cause', async () => {
  const run = startRun({ inserts: [new DataRefusedError('t'), new DataRefusedError('t')] })
  expect(await run.end).toBe('stopped')
  expect(run.sleeps).toEqual([250, 500])
})

test('a range that is refused repeatedly is undone once, also when a store is unreachable after its rehearsal', async () => {
  const refused = new DataRefusedError('refused')
  const run = startRun({
    inserts: [refused, refused, refused, away, away, away],
    // The search that follows finds no record to blame any more.
    rehearsals: [refused, refused, refused],
  })
  expect(await run.end).toBe('stopped')
  expect(run.undone()).toBe(1)
})
