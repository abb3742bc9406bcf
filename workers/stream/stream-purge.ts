/**
 * Purges a stream of what its partitions have committed, with one cut for the whole stream: the
 * broker then drops whole blocks, while a purge by subject would visit every message.
 */
import type { JetStreamManager, NextMsgRequest } from '@nats-io/jetstream'
import { partitionsOfStream, streamName } from '#platform/nats/stream-of-partition.ts'
import type { Pool } from '#platform/postgres.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { ingestSubject } from '#schemas/bus/subjects.ts'
import { readCommittedSeqs } from '../partitions/cursor-store.ts'

export interface Purge {
  /** Number of purged messages. */
  readonly dropped: number
  /** Share of its maximum bytes that the stream used before the purge. */
  readonly fullRatio: number
}

export async function purgeCommitted(
  manager: JetStreamManager,
  pg: Pool,
  { index, layout }: { index: number; layout: IngestLayout },
): Promise<Purge> {
  const stream = streamName(index, layout)
  // Read before the cursors, so that messages that arrive later have a higher sequence.
  const { created, config, state } = await manager.streams.info(stream)
  const fullRatio = config.max_bytes > 0 ? state.bytes / config.max_bytes : 0
  if (state.messages === 0) return { dropped: 0, fullRatio }
  const committed = await readCommittedSeqs(pg, created)
  const partitions = partitionsOfStream(index, layout)
    .map((partition) => ({ partition, committedSeq: committed.get(partition) ?? 0 }))
    .sort((a, b) => a.committedSeq - b.committedSeq)
  let keepFromSeq = state.last_seq + 1
  for (const { partition, committedSeq } of partitions) {
    // Uncommitted messages of this partition and all after it lie behind the cut already.
    if (keepFromSeq <= committedSeq + 1) break
    const nextSeq = await firstSeqAfter(manager, { stream, partition, seq: committedSeq })
    // mutant: keep-uncommitted
    if (nextSeq !== undefined) keepFromSeq = Math.min(keepFromSeq, nextSeq)
  }
  if (keepFromSeq <= state.first_seq) return { dropped: 0, fullRatio }
  const { purged } = await manager.streams.purge(stream, { seq: keepFromSeq })
  return { dropped: purged, fullRatio }
}

/**
 * Sequence of the partition's first message after `seq`; undefined for an idle partition, which
 * holds nothing back.
 */
async function firstSeqAfter(
  manager: JetStreamManager,
  { stream, partition, seq }: { stream: string; partition: number; seq: number },
): Promise<number | undefined> {
  // The server accepts a sequence together with a subject; the type of the client allows only one
  // of them.
  const query: NextMsgRequest & { seq: number } = {
    seq: seq + 1,
    next_by_subj: ingestSubject(partition),
  }
  const message = await manager.streams.getMessage(stream, query)
  return message?.seq
}
