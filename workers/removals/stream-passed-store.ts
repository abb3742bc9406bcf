/**
 * Whether every record that was received before a deletion was requested has been digested: first
 * the ends of the partitions are written down, then the cursors have to pass them. A frame that
 * ingest could not publish lies in its write-ahead log, so every instance has to report that its
 * log holds no frame from before.
 */
import { readLayouts } from '#platform/installation/layouts.ts'
import type { Pool } from '#platform/postgres.ts'
import { type IngestLayout, partitionsOf } from '#schemas/bus/layout.ts'
import type { Deletion, StreamCheck } from './run-deletion.ts'

export interface StreamEnds {
  readonly layout: Pick<IngestLayout, 'first' | 'partitions'>
  /** Undefined when the broker does not answer. */
  readonly lastSeq: (partition: number) => Promise<number | undefined>
  /**
   * Time from the request until records that ingest had received before it are in its log and in
   * the stream.
   */
  readonly graceMs: number
}

/** Longer than ingest holds a record before it writes its frame. */
export const streamGraceMs = 10_000

export type Positions = Readonly<
  Record<string, { readonly generation: number; readonly seq: number }>
>

export async function checkStream(
  pg: Pool,
  deletion: Deletion,
  ends: StreamEnds,
): Promise<StreamCheck> {
  if ((await readLayouts(pg)).next !== undefined) {
    return waiting('The number of partitions is being changed.')
  }
  const positions = await readPositions(pg, deletion, ends)
  if (positions === undefined) {
    return waiting('The end of the stream could not be read from the broker.')
  }
  const behind = await partitionsBehind(pg, positions)
  const logs = await unconfirmedLogs(pg, deletion, ends.graceMs)
  const reasons = [
    ...behind.map(
      (partition) => `Partition ${partition} still holds events from before the request.`,
    ),
    ...logs.map(
      (instance) =>
        `The write-ahead log of ingest instance ${instance} may hold events from before the request.`,
    ),
  ]
  return reasons.length === 0 ? { kind: 'passed' } : { kind: 'waiting', reasons }
}

function waiting(reason: string): StreamCheck {
  return { kind: 'waiting', reasons: [reason] }
}

async function readPositions(
  pg: Pool,
  { id }: Deletion,
  { layout, lastSeq, graceMs }: StreamEnds,
): Promise<Positions | undefined> {
  const { rows } = await pg.query<{ positions: Positions | null; due: boolean }>(
    `select positions, requested_at + $2 * interval '1 millisecond' <= now() as due
     from deletions where id = $1`,
    [id, graceMs],
  )
  const row = rows[0]
  if (row?.positions && !(await isStreamReplaced(pg, row.positions))) return row.positions
  if (!row?.due) return undefined
  const positions = await readEnds(pg, { layout, lastSeq })
  if (positions === undefined) return undefined
  await pg.query('update deletions set positions = $2 where id = $1', [id, positions])
  return positions
}

/** Where the partitions end now; undefined when the broker does not answer. */
export async function readEnds(
  pg: Pool,
  { layout, lastSeq }: Pick<StreamEnds, 'layout' | 'lastSeq'>,
): Promise<Positions | undefined> {
  const generations = await readCursors(pg)
  const positions: Record<string, { generation: number; seq: number }> = {}
  for (const partition of partitionsOf(layout)) {
    const seq = await lastSeq(partition)
    if (seq === undefined) return undefined
    positions[partition] = { generation: generations.get(partition)?.generation ?? 0, seq }
  }
  return positions
}

async function readCursors(pg: Pool) {
  const { rows } = await pg.query<{ partition: number; generation: number; committed: number }>(
    'select partition, generation, committed_seq as committed from partition_cursors',
  )
  return new Map(rows.map((row) => [row.partition, row]))
}

/** A replaced stream counts from 1 again, and ingest resends into it what was not committed. */
export async function isStreamReplaced(pg: Pool, positions: Positions): Promise<boolean> {
  const cursors = await readCursors(pg)
  return Object.entries(positions).some(([partition, { generation }]) => {
    const cursor = cursors.get(Number(partition))
    return cursor !== undefined && generation !== 0 && cursor.generation !== generation
  })
}

export async function partitionsBehind(pg: Pool, positions: Positions): Promise<number[]> {
  const cursors = await readCursors(pg)
  return Object.entries(positions)
    .filter(([partition, { seq }]) => (cursors.get(Number(partition))?.committed ?? 0) < seq)
    .map(([partition]) => Number(partition))
}

/** Instances of before the request that have not ended with a confirmed log, nor reported one. */
async function unconfirmedLogs(pg: Pool, { id }: Deletion, graceMs: number): Promise<string[]> {
  const { rows } = await pg.query<{ boot_id: string }>(
    `select boot_id from ingest_boots boot, deletions d
     cross join lateral (select d.requested_at + $2 * interval '1 millisecond' as after) since
     where d.id = $1 and boot.settled_at is null and boot.started_at < since.after
       and not coalesce(boot.log_reported_at > since.after
         and (boot.log_oldest_at is null or boot.log_oldest_at > since.after), false)
     order by boot_id limit 100`,
    [id, graceMs],
  )
  return rows.map((row) => row.boot_id)
}
