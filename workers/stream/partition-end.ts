import type { JetStreamManager } from '@nats-io/jetstream'
import { streamOfPartition } from '#platform/nats/stream-of-partition.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { ingestSubject } from '#schemas/bus/subjects.ts'

/**
 * Sequence of the last message of a partition on the broker; 0 if there is none, undefined if the
 * broker does not answer.
 */
export async function lastSeqOf(
  manager: JetStreamManager,
  layout: IngestLayout,
  partition: number,
): Promise<number | undefined> {
  const stream = streamOfPartition(partition, layout)
  try {
    const last = await manager.streams.getMessage(stream, {
      last_by_subj: ingestSubject(partition),
    })
    return last?.seq ?? 0
  } catch {
    // Callers ask again soon, and wait until there is an answer.
    return undefined
  }
}
