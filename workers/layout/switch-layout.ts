/**
 * Moves the workers to the next layout of the bus (docs/scaling.md) when nothing of the present one
 * is left: no ingest instance that publishes to it or has a log of it is unsettled, and every
 * message of every partition is committed. From then on no ingest process publishes to it: an
 * instance registers its layout before its first frame, under a lock that this transaction waits
 * for. And no worker digests it: the epoch of every cursor is raised, and none is taken over.
 */
import type { JetStreamManager } from '@nats-io/jetstream'
import { readLayouts } from '#platform/installation/layouts.ts'
import type { Logger } from '#platform/logger.ts'
import {
  ensureIngestStreams,
  type IngestStreamOptions,
  streamNames,
} from '#platform/nats/ingest-streams.ts'
import type { NatsConnection } from '#platform/nats/nats.ts'
import { streamOfPartition } from '#platform/nats/stream-of-partition.ts'
import { inTransaction, type Pool, type PoolClient } from '#platform/postgres.ts'
import { describeLayout, type IngestLayout, partitionsOf } from '#schemas/bus/layout.ts'
import { lastSeqOf } from '../stream/partition-end.ts'

export interface SwitchContext {
  readonly pg: Pool
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly streamOptions: IngestStreamOptions
  /** The layout with which this process started. */
  readonly layout: IngestLayout
  readonly log: Logger
}

interface CursorRow {
  readonly partition: number
  readonly committed_seq: number
  readonly incarnation: string
}

export type LayoutState =
  /** This process digests the present layout. */
  | 'present'
  /** Workers have moved on: this process must end, and start again with the present layout. */
  | 'replaced'

/** @param mayLead one process at a time switches: the owner of the first partition. */
export async function followLayout(ctx: SwitchContext, mayLead: boolean): Promise<LayoutState> {
  const { current, next } = await readLayouts(ctx.pg)
  if (current !== undefined && current.first !== ctx.layout.first) return 'replaced'
  if (next === undefined || !mayLead) return 'present'
  // A broker that lost its data lost these streams too, and ingest does not create them again.
  await ensureIngestStreams(ctx.nats, { ...ctx.streamOptions, ...next })
  const isSwitched = await inTransaction(ctx.pg, (client) => switchIfDrained(ctx, client, next))
  if (!isSwitched) return 'present'
  ctx.log.info(
    { code: 'layout_switched', before: ctx.layout, now: next },
    `Nothing is left in the former partitions. Workers now digest ${describeLayout(next)}.`,
  )
  return 'replaced'
}

async function switchIfDrained(
  { manager, layout }: SwitchContext,
  client: PoolClient,
  next: IngestLayout,
): Promise<boolean> {
  await client.query('select from installation for update')
  const unsettled = await client.query(
    'select from ingest_boots where settled_at is null and first_partition < $1 limit 1',
    [next.first],
  )
  if (unsettled.rowCount !== 0) return false
  const { rows } = await client.query<CursorRow>(
    `select partition, committed_seq, incarnation from partition_cursors
     where partition between $1 and $2 and committed_seq = planned_seq
     order by partition for update`,
    [layout.first, layout.first + layout.partitions - 1],
  )
  const cursors = new Map(rows.map((row) => [row.partition, row]))
  const created = new Map<string, string>()
  for (const name of streamNames(layout)) {
    created.set(name, (await manager.streams.info(name)).created)
  }
  for (const partition of partitionsOf(layout)) {
    const cursor = cursors.get(partition)
    // Sequences of a stream that was created again mean other messages than those of the cursor.
    const isOfStream = cursor?.incarnation === created.get(streamOfPartition(partition, layout))
    const lastSeq = await lastSeqOf(manager, layout, partition)
    if (cursor === undefined || !isOfStream || lastSeq === undefined) return false
    if (cursor.committed_seq < lastSeq) return false
  }
  const { rowCount } = await client.query(
    `update installation
     set first_partition = $1, partitions = $2, streams = $3, layout_since = now(),
       next_first_partition = null, next_partitions = null, next_streams = null
     where first_partition = $4 and next_first_partition = $1
       and next_partitions = $2 and next_streams = $3`,
    [next.first, next.partitions, next.streams, layout.first],
  )
  if (rowCount !== 1) return false
  await client.query('update partition_cursors set epoch = epoch + 1 where partition < $1', [
    next.first,
  ])
  return true
}
