/** Deletes expired rows in bounded statements, so that none holds its locks for long. */
import type { Pool } from '#platform/postgres.ts'

export interface ExpiredRows {
  /** Rows that expired before this time. */
  readonly before: Date
  readonly rowsMax: number
}

/** Deletes or anonymizes at most `rowsMax` rows, and returns how many it did. */
export type DeleteBatch = (pg: Pool, rows: ExpiredRows) => Promise<number>

/** Told how many rows of a table have expired. */
export type ReportExpired = (table: string, rows: number) => void

const rowsPerBatch = 1_000
/** Batches of one call; the next call deletes the rest. */
const batchesMax = 200

/** Returns how many rows were deleted. Ends early when the signal is aborted. */
export async function deleteInBatches(
  deleteBatch: DeleteBatch,
  pg: Pool,
  before: Date,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0
  for (let batch = 0; batch < batchesMax && signal?.aborted !== true; batch += 1) {
    const rows = await deleteBatch(pg, { before, rowsMax: rowsPerBatch })
    count += rows
    if (rows < rowsPerBatch) break
  }
  return count
}

/**
 * @param sql one statement. $1 is the time before which rows have expired, $2 the maximum number of
 * rows.
 */
export function batchOf(sql: string): DeleteBatch {
  return async (pg, { before, rowsMax }) => {
    const { rowCount } = await pg.query(sql, [before, rowsMax])
    return rowCount ?? 0
  }
}
