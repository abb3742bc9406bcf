/** Asks the broker and Postgres how far partitions are behind. */
import type { JetStreamManager, NextMsgRequest } from '@nats-io/jetstream'
import type { Clock } from '#platform/clock.ts'
import { streamOfPartition } from '#platform/nats/stream-of-partition.ts'
import type { Pool } from '#platform/postgres.ts'
import { type IngestLayout, partitionsOf } from '#schemas/bus/layout.ts'
import { ingestSubject } from '#schemas/bus/subjects.ts'
import { readCommittedSeqs } from '../partitions/cursor-store.ts'
import type { LagSource } from './partition-lags.ts'

export interface LagStoreOptions {
  readonly manager: JetStreamManager
  readonly pg: Pool
  readonly layout: IngestLayout
  readonly clock: Clock
}

export function lagSource({ manager, pg, layout, clock }: LagStoreOptions): LagSource {
  const partitionOf = new Map(
    partitionsOf(layout).map((partition) => [ingestSubject(partition), partition]),
  )
  return {
    streamOf: (partition) => streamOfPartition(partition, layout),
    lookAt: async (stream) => {
      const askedMs = clock.monotonicMs()
      // The counts are in the memory of the broker: one for each partition.
      const { created, ts, state } = await manager.streams.info(stream, { subjects_filter: '>' })
      const middleMs = (askedMs + clock.monotonicMs()) / 2
      const messages = new Map<number, number>()
      for (const [subject, count] of Object.entries(state.subjects ?? {})) {
        const partition = partitionOf.get(subject)
        if (partition !== undefined) messages.set(partition, count)
      }
      // Brokers before 2.10 do not say their time.
      const brokerMs = ts === undefined ? clock.nowMs() : Date.parse(ts)
      return { createdAt: created, aheadMs: brokerMs - middleMs, messages }
    },
    storedAfter: async (stream, partition, seq) => {
      // The server accepts a sequence together with a subject; the type of the client does not.
      const query: NextMsgRequest & { seq: number } = {
        seq: seq + 1,
        next_by_subj: ingestSubject(partition),
      }
      return (await manager.streams.getMessage(stream, query))?.time.getTime()
    },
    committedSeqs: (createdAt) => readCommittedSeqs(pg, createdAt),
  }
}
