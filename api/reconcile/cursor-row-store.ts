/** The cursors of partitions, as a reconciliation reads and moves them. */
import type { PoolClient } from '#platform/postgres.ts'
import { dashed } from '#schemas/ids.ts'
import type { RangeNote } from '#schemas/range-note.ts'
import type { Position } from './position.ts'

export interface CursorRow {
  readonly partition: number
  readonly epoch: number
  readonly generation: number
  readonly committedSeq: number
  readonly plannedSeq: number
}

const columns = `partition, epoch, generation, committed_seq as "committedSeq", planned_seq as "plannedSeq"`

export async function readCursors(pg: Pick<PoolClient, 'query'>): Promise<Map<number, CursorRow>> {
  const { rows } = await pg.query<CursorRow>(`select ${columns} from partition_cursors`)
  return new Map(rows.map((row) => [row.partition, row]))
}

/** Locks the cursor. A missing one is created: nothing of the partition was committed. */
export async function lockCursor(client: PoolClient, partition: number): Promise<CursorRow> {
  await client.query(
    `insert into partition_cursors (partition, epoch, incarnation, generation, committed_seq, planned_seq)
     values ($1, 0, '', 0, 0, 0) on conflict do nothing`,
    [partition],
  )
  const { rows } = await client.query<CursorRow>(
    `select ${columns} from partition_cursors where partition = $1 for update`,
    [partition],
  )
  const [row] = rows
  if (row === undefined) throw new Error(`partition ${partition} has no cursor`)
  return row
}

export interface MovedCursor {
  readonly partition: number
  /** A later epoch than any that a former owner may still use. */
  readonly epoch: number
  readonly committed: Position
  /** Creation time of the stream that the position belongs to; empty if it belongs to no stream. */
  readonly incarnation: string
  /** A range that the next owner replays or undoes. */
  readonly plan: { readonly plannedSeq: number; readonly note: RangeNote } | undefined
}

export async function moveCursor(client: PoolClient, moved: MovedCursor): Promise<void> {
  const { partition, epoch, committed, incarnation, plan } = moved
  await client.query(
    `update partition_cursors set epoch = $2, incarnation = $3, generation = $4, committed_seq = $5,
       planned_seq = $6, planned_settings = $7, planned_outcomes = $8, noted_seq = null, updated_at = now()
     where partition = $1`,
    [
      partition,
      epoch,
      incarnation,
      committed.generation,
      committed.seq,
      plan?.plannedSeq ?? committed.seq,
      plan === undefined ? '{}' : JSON.stringify(plan.note.settings),
      plan === undefined ? Buffer.alloc(0) : Buffer.from(plan.note.outcomeRows, 'base64'),
    ],
  )
}

export async function writeFrameProgress(
  client: PoolClient,
  partition: number,
  frames: Iterable<RangeNote['frames'][number]>,
): Promise<void> {
  for (const { instanceId, contiguous, ahead } of frames) {
    await client.query(
      `insert into frame_progress (partition, boot_id, contiguous, ahead) values ($1, $2, $3, $4)
       on conflict (partition, boot_id) do update set
         contiguous = excluded.contiguous, ahead = excluded.ahead, updated_at = now()`,
      [partition, dashed(instanceId), contiguous, ahead],
    )
  }
}
