/**
 * Cursors of the partitions and their owners' epochs. Every write names the owner's epoch, so a
 * former owner changes nothing.
 */
import { z } from 'zod'
import { inTransaction, type Pool, type PoolClient } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { putInSdks, takeOutSdks } from '#schemas/outcome-rows.ts'
import type { InstanceProgress } from './frame-progress.ts'
import {
  type Cursor,
  FencedError,
  PlanHeldError,
  type PlannedSettings,
  type RangePlan,
  type StreamState,
  type TakenPartition,
} from './ports.ts'

interface CursorRow {
  readonly partition: number
  readonly epoch: number
  readonly generation: number
  readonly committed_seq: number
  readonly planned_seq: number
}

interface TakenRow extends CursorRow {
  readonly incarnation: string
  readonly planned_settings: unknown
  readonly planned_outcomes: Buffer
  readonly noted_seq: number | null
}

const cursorColumns = 'partition, epoch, generation, committed_seq, planned_seq'

const ProjectNumber = z
  .number()
  .int()
  .transform((id) => id as ProjectId)

const Settings = z.object({
  retentionDays: z.number().int(),
  partitionCount: z.number().int().optional(),
  issueEventsPerMinute: z.array(z.tuple([ProjectNumber, z.number().int()])).optional(),
  bursts: z.array(z.tuple([ProjectNumber, z.number().int(), z.string()])).optional(),
  setAside: z.array(z.number().int()).optional(),
  setAsideDetail: z.string().optional(),
  rowsHash: z.string(),
  weeks: z.array(z.number().int()),
  /** SDKs of `planned_outcomes` (schemas/outcome-rows.ts). */
  outcomeSdks: z.array(z.string()).optional(),
})

/**
 * Takes the partition over under a new epoch. Throws `FencedError` when workers have moved to
 * another layout, so that a former partition stays as it was then. When the stream was recreated,
 * or its tail was cut below the planned sequence, sequence numbers mean other frames than before,
 * and the caller has to begin a new generation.
 */
export async function takeOverCursor(
  pg: Pool,
  partition: number,
  stream: StreamState,
): Promise<TakenPartition> {
  return inTransaction(pg, async (client) => {
    // Locked, because workers may be moving to the next layout at this moment.
    const { rowCount } = await client.query(
      'select from installation where first_partition <= $1 for share',
      [partition],
    )
    if (rowCount === 0) throw new FencedError(`partition ${partition} is of a former layout`)
    // Locks the row: a commit of the former owner is either visible below, or fails.
    const { rows } = await client.query<TakenRow>(
      `insert into partition_cursors (partition, epoch, incarnation, generation, committed_seq, planned_seq)
       values ($1, 1, $2, 1, 0, 0)
       on conflict (partition) do update set epoch = partition_cursors.epoch + 1, updated_at = now()
       returning ${cursorColumns}, incarnation, planned_settings, planned_outcomes, noted_seq`,
      [partition, stream.createdAt],
    )
    const row = rows[0]
    if (row === undefined) throw new Error('taking over a cursor returned no row')
    return {
      cursor: readRow(row),
      plan: row.planned_seq > row.committed_seq ? readPlan(row) : undefined,
      frames: await readFrameProgress(client, partition),
      reset: resetOf(row, stream),
      isNoted: row.committed_seq > 0 && row.noted_seq === row.committed_seq,
    }
  })
}

/**
 * Begins the next generation at the start of the stream. Frame numbers tell which frames were
 * digested already.
 */
export async function beginGeneration(
  pg: Pool,
  cursor: Cursor,
  stream: StreamState,
): Promise<Cursor> {
  const { rows } = await pg.query<CursorRow>(
    `update partition_cursors
     set incarnation = $4, generation = generation + 1, committed_seq = 0, planned_seq = 0,
       planned_settings = '{}', planned_outcomes = '', updated_at = now()
     where partition = $1 and epoch = $2 and generation = $3
     returning ${cursorColumns}`,
    [cursor.partition, cursor.epoch, cursor.generation, stream.createdAt],
  )
  return readRow(fenced(cursor, rows[0]))
}

/**
 * Stores the plan before any row of the range is inserted. Idempotent: the same plan may be written
 * again.
 */
export async function planRange(
  pg: Pool | PoolClient,
  cursor: Cursor,
  plan: RangePlan,
): Promise<Cursor> {
  const { partition, epoch, generation, committedSeq } = cursor
  const { rows } = await pg.query<CursorRow>(
    `update partition_cursors
     set planned_seq = $5, planned_settings = $6, planned_outcomes = $7, updated_at = now()
     where partition = $1 and epoch = $2 and generation = $3 and committed_seq = $4
       and planned_seq in ($4, $5)
     returning ${cursorColumns}`,
    [...[partition, epoch, generation, committedSeq, plan.plannedSeq], ...storedPlan(plan)],
  )
  return readRow(fenced(cursor, rows[0]))
}

/**
 * Like `planRange`, but throws `PlanHeldError` while a backup holds. The hold is read in the
 * statement that plans. A plan that was under way when the hold began may still succeed: the backup
 * compares the cursors after it has taken its point.
 */
export async function planRangeUnlessHeld(
  pg: Pool,
  cursor: Cursor,
  plan: RangePlan,
): Promise<Cursor> {
  const { partition, epoch, generation, committedSeq } = cursor
  const { rows } = await pg.query<Partial<CursorRow> & { held: boolean }>(
    `with hold as (select exists (select from backup_holds where until > now()) as held),
     planned as (
       update partition_cursors
       set planned_seq = $5, planned_settings = $6, planned_outcomes = $7, updated_at = now()
       where partition = $1 and epoch = $2 and generation = $3 and committed_seq = $4
         and planned_seq in ($4, $5) and not (select held from hold)
       returning ${cursorColumns}
     )
     select hold.held, planned.* from hold left join planned on true`,
    [...[partition, epoch, generation, committedSeq, plan.plannedSeq], ...storedPlan(plan)],
  )
  const row = rows[0]
  if (row?.held === true) throw new PlanHeldError('a backup is taking its point in time')
  return readRow(fenced(cursor, row?.partition === null ? undefined : (row as CursorRow)))
}

/**
 * Part of the commit. It locks the cursor, so it comes first, and everything after it runs under
 * the owner's lock.
 */
export async function moveCursor(client: PoolClient, cursor: Cursor): Promise<void> {
  const { partition, epoch, generation, committedSeq, plannedSeq } = cursor
  const { rows } = await client.query<CursorRow>(
    `update partition_cursors
     set committed_seq = planned_seq, noted_seq = planned_seq, planned_settings = '{}', planned_outcomes = '', updated_at = now()
     where partition = $1 and epoch = $2 and generation = $3 and committed_seq = $4 and planned_seq = $5
     returning ${cursorColumns}`,
    [partition, epoch, generation, committedSeq, plannedSeq],
  )
  fenced(cursor, rows[0])
}

export async function readCursor(pg: Pool, partition: number): Promise<Cursor> {
  const { rows } = await pg.query<CursorRow>(
    `select ${cursorColumns} from partition_cursors where partition = $1`,
    [partition],
  )
  const row = rows[0]
  if (row === undefined) throw new Error(`partition ${partition} has no cursor`)
  return readRow(row)
}

/** Returns the committed sequence of each partition of the given stream, for the stream purge. */
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

async function readFrameProgress(
  client: PoolClient,
  partition: number,
): Promise<InstanceProgress[]> {
  const { rows } = await client.query<{ boot_id: string; contiguous: number; ahead: string[] }>(
    'select boot_id, contiguous, ahead from frame_progress where partition = $1',
    [partition],
  )
  return rows.map(({ boot_id, contiguous, ahead }) => ({
    instanceId: boot_id.replaceAll('-', ''),
    contiguous,
    ahead: ahead.map(Number),
  }))
}

function resetOf(row: TakenRow, stream: StreamState): TakenPartition['reset'] {
  if (row.incarnation !== stream.createdAt) return 'new_stream'
  return row.planned_seq > stream.lastSeq ? 'tail_cut' : 'none'
}

function readPlan({ planned_seq, planned_settings, planned_outcomes }: TakenRow): RangePlan {
  const { outcomeSdks, ...settings } = Settings.parse(planned_settings)
  return {
    plannedSeq: planned_seq,
    settings: settings as PlannedSettings,
    outcomeRows: putInSdks({ rows: planned_outcomes, sdks: outcomeSdks }),
  }
}

/** The values of `planned_settings` and `planned_outcomes`, which any version can read. */
function storedPlan({ settings, outcomeRows }: RangePlan): [string, Uint8Array] {
  const { rows, sdks } = takeOutSdks(outcomeRows)
  return [JSON.stringify({ ...settings, outcomeSdks: sdks }), rows]
}

function fenced(cursor: Cursor, row: CursorRow | undefined): CursorRow {
  if (row === undefined) throw new FencedError(`partition ${cursor.partition} has another owner`)
  return row
}

function readRow(row: CursorRow): Cursor {
  return {
    partition: row.partition,
    epoch: row.epoch,
    generation: row.generation,
    committedSeq: row.committed_seq,
    plannedSeq: row.planned_seq,
  }
}
