/** Reads the streams of the broker for a reconciliation. It changes nothing there. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { findLaterLayouts } from '#platform/nats/later-layouts.ts'
import type { NatsConnection } from '#platform/nats/nats.ts'
import { describeState, findStream } from '#platform/nats/stream-calls.ts'
import { expectOwn } from '#platform/nats/stream-mark.ts'
import { streamOfPartition } from '#platform/nats/stream-of-partition.ts'
import { hasPartition, type IngestLayout } from '#schemas/bus/layout.ts'
import { ingestSubject } from '#schemas/bus/subjects.ts'
import type { StreamReader } from './reconcile-context.ts'

/** How long the broker may take to send the next message of a range that it has. */
const fetchMs = 1_500

export interface KnownStreams {
  readonly installationId: string
  /** The layout that workers digest. */
  readonly layout: IngestLayout
  /** Its successor while the number of partitions is being changed. */
  readonly next: IngestLayout | undefined
}

export function natsStreamReader(
  nats: NatsConnection,
  { installationId, layout, next }: KnownStreams,
): StreamReader {
  const streamOf = (partition: number) => streamOfPartition(partition, layout)
  return {
    lostLayouts: async () => {
      const { first, partitions } = next ?? layout
      const later = await findLaterLayouts(nats, { installationId, from: first + partitions })
      return later.filter(({ isUsed }) => isUsed)
    },
    stateOf: async (partition) => {
      // A partition of a former layout has no stream any more.
      if (!hasPartition(layout, partition)) return undefined
      const manager = await jetstreamManager(nats, { checkAPI: false })
      const info = await findStream(manager, streamOf(partition))
      if (info === undefined) return undefined
      expectOwn(info.config, { installationId, server: nats.getServer() })
      return describeState(info)
    },
    countMessages: async (partition, { afterSeq, toSeq, messagesMax }) => {
      const consumer = await jetstream(nats).consumers.get(streamOf(partition), {
        filter_subjects: ingestSubject(partition),
        opt_start_seq: afterSeq + 1,
        headers_only: true,
      })
      let count = 0
      const messages = await consumer.fetch({ max_messages: messagesMax, expires: fetchMs })
      for await (const { seq } of messages) {
        if (seq > toSeq) break
        count += 1
        if (count === messagesMax || seq === toSeq) break
      }
      return count
    },
  }
}
