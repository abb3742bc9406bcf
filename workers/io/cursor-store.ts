/** Where each partition stands, and who may move it. Every write names the owner's epoch: a former owner changes nothing. */
import type { Pool } from '#platform/postgres.ts'
import type { BootProgress } from '../partitions/frame-progress.ts'

export interface Cursor {
  readonly partition: number
  readonly epoch: number
  readonly generation: number
  readonly committedSeq: number
  /** Above `committedSeq` when a range was planned whose commit is not known. */
  readonly plannedSeq: number
}

export interface StreamState {
  /** Creation time of the stream as the broker reports it. */
  readonly createdAt: string
  readonly lastSeq: number
}

interface CursorRow {
  readonly epoch: number
  readonly generation: number
  readonly incarnation: string
  readonly committed_seq: number
  readonly planned_seq: number
}

/** The write came from an owner that has been replaced. */
export class FencedError extends Error {}

/**
 * Takes the partition over under a new epoch. When the stream was made anew, or its tail was cut below what is
 * planned, sequence numbers mean other frames than before: a new generation starts from the
 * beginning, and frame numbers tell what was digested already.
 */
export async function takeOverCursor(
  pg: Pool,
  partition: number,
  stream: StreamState,
): Promise<{ cursor: Cursor; reset: 'none' | 'new_stream' | 'tail_cut' }> {
  const { rows } = await pg.query<CursorRow>(
    `insert into partition_cursors (partition, epoch, incarnation, generation, committed_seq, planned_seq)
     values ($1, 1, $2, 1, 0, 0)
     on conflict (partition) do update set epoch = partition_cursors.epoch + 1, updated_at = now()
     returning epoch, generation, incarnation, committed_seq, planned_seq`,
    [partition, stream.createdAt],
  )
  const row = rows[0]
  if (row === undefined) throw new Error('taking over a cursor returned no row')
  const sameStream = row.incarnation === stream.createdAt
  if (sameStream && row.planned_seq <= stream.lastSeq) {
    return { cursor: readCursor(partition, row), reset: 'none' }
  }
  const reset = await pg.query<CursorRow>(
    `update partition_cursors
     set incarnation = $3, generation = generation + 1, committed_seq = 0, planned_seq = 0, updated_at = now()
     where partition = $1 and epoch = $2
     returning epoch, generation, incarnation, committed_seq, planned_seq`,
    [partition, row.epoch, stream.createdAt],
  )
  const fresh = reset.rows[0]
  if (fresh === undefined) throw new FencedError(`partition ${partition} has another owner`)
  return { cursor: readCursor(partition, fresh), reset: sameStream ? 'tail_cut' : 'new_stream' }
}

/** Writes down the end of the next range before anything of it is inserted. */
export async function planRange(pg: Pool, cursor: Cursor, plannedSeq: number): Promise<Cursor> {
  const { rowCount } = await pg.query(
    `update partition_cursors set planned_seq = $3, updated_at = now()
     where partition = $1 and epoch = $2 and committed_seq = planned_seq`,
    [cursor.partition, cursor.epoch, plannedSeq],
  )
  if (rowCount !== 1) throw new FencedError(`partition ${cursor.partition} has another owner`)
  return { ...cursor, plannedSeq }
}

export async function readFrameProgress(pg: Pool, partition: number): Promise<BootProgress[]> {
  const { rows } = await pg.query<{ boot_id: string; contiguous: number; ahead: string[] }>(
    'select boot_id, contiguous, ahead from frame_progress where partition = $1',
    [partition],
  )
  return rows.map(({ boot_id, contiguous, ahead }) => ({
    bootId: boot_id.replaceAll('-', ''),
    contiguous,
    ahead: ahead.map(Number),
  }))
}

/**
 * Forgets boots of ingest that have sent nothing for a week. One that lives on is known again from its next frame.
 */
export async function deleteOldFrameProgress(pg: Pool): Promise<void> {
  await pg.query(`delete from frame_progress where updated_at < now() - interval '7 days'`)
}

/** What each partition has committed, for whoever purges the stream. */
export async function readCommittedSeqs(
  pg: Pool,
  incarnation: string,
): Promise<Map<number, number>> {
  const { rows } = await pg.query<{ partition: number; committed_seq: number }>(
    'select partition, committed_seq from partition_cursors where incarnation = $1',
    [incarnation],
  )
  return new Map(rows.map((row) => [row.partition, row.committed_seq]))
}

function readCursor(partition: number, row: CursorRow): Cursor {
  return {
    partition,
    epoch: row.epoch,
    generation: row.generation,
    committedSeq: row.committed_seq,
    plannedSeq: row.planned_seq,
  }
}
