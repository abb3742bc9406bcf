/**
 * Frees the stream of what every partition has committed. One cut for the whole stream: the broker drops whole blocks
 * then, where a purge by subject would visit every message.
 */
import type { JetStreamManager, NextMsgRequest } from '@nats-io/jetstream'
import type { Pool } from '#platform/postgres.ts'
import { ingestStream, ingestSubject } from '#schemas/bus/subjects.ts'
import { readCommittedSeqs } from './cursor-store.ts'

/** Returns how many messages were dropped. */
export async function purgeCommitted(
  manager: JetStreamManager,
  pg: Pool,
  partitionCount: number,
): Promise<number> {
  // Read before the cursors: a message that comes after this moment lies above it.
  const { created, state } = await manager.streams.info(ingestStream)
  const committed = await readCommittedSeqs(pg, created)
  let keepFromSeq = state.last_seq + 1
  for (let partition = 0; partition < partitionCount; partition += 1) {
    const committedSeq = committed.get(partition) ?? 0
    const nextSeq = await firstSeqAfter(manager, partition, committedSeq)
    if (nextSeq !== undefined) keepFromSeq = Math.min(keepFromSeq, nextSeq)
  }
  if (keepFromSeq <= state.first_seq) return 0
  const { purged } = await manager.streams.purge(ingestStream, { seq: keepFromSeq })
  return purged
}

/** Of the partition's messages behind `seq`, the first; an idle partition has none and holds nothing back. */
async function firstSeqAfter(
  manager: JetStreamManager,
  partition: number,
  seq: number,
): Promise<number | undefined> {
  // The server takes a sequence together with a subject; the client's own type knows only one of the two.
  const query: NextMsgRequest & { seq: number } = {
    seq: seq + 1,
    next_by_subj: ingestSubject(partition),
  }
  const message = await manager.streams.getMessage(ingestStream, query)
  return message?.seq
}
