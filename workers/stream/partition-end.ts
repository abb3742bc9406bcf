import type { JetStreamManager } from '@nats-io/jetstream'
import type { IngestLayout } from '#platform/nats/ingest-streams.ts'
import { streamOfPartition } from '#platform/nats/stream-of-partition.ts'
import { ingestSubject } from '#schemas/bus/subjects.ts'

/** Sequence of the last message of a partition that the broker holds, 0 when there is none; undefined when it does not answer. */
export async function lastSeqOf(
  manager: JetStreamManager,
  layout: IngestLayout,
  partition: number,
): Promise<number | undefined> {
  const stream = streamOfPartition(partition, layout.streams)
  try {
    const last = await manager.streams.getMessage(stream, {
      last_by_subj: ingestSubject(partition),
    })
    return last?.seq ?? 0
  } catch {
    // Whoever wants to know asks again soon, and waits until there is an answer.
    return undefined
  }
}
