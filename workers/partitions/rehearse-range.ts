/**
 * Asks both stores, before a range is planned, whether they accept its rows and sums. Nothing is
 * stored. It costs about as much as the commit itself, so it is done only after a store has refused
 * a range (digest-partition.ts).
 */
import {
  DataRefusedError,
  FencedError,
  type RangeCommit,
  type RangePlan,
  type RangeStore,
  type RowInsert,
  type RowStore,
} from './ports.ts'

/** A store did not answer, which is no evidence against the range. */
export class StoreAwayError extends Error {}

export interface RehearsalContext {
  readonly ranges: Pick<RangeStore, 'rehearse'>
  readonly rows: Pick<RowStore, 'check'>
}

/**
 * Throws `DataRefusedError` when a store refuses the range; `FencedError` or `StoreAwayError`
 * otherwise.
 */
export async function rehearseRange(
  { ranges, rows }: RehearsalContext,
  commit: RangeCommit,
  plan: RangePlan,
): Promise<void> {
  const { eventRows, sessionRows, outcomeRows } = commit.output
  const tables: Omit<RowInsert, 'token'>[] = [
    { table: 'events', rows: eventRows },
    { table: 'sessions', rows: sessionRows },
    { table: 'outcomes', rows: outcomeRows },
  ]
  try {
    for (const table of tables) if (table.rows.length > 0) await rows.check(table)
    await ranges.rehearse(commit, plan)
  } catch (error) {
    if (error instanceof DataRefusedError || error instanceof FencedError) throw error
    throw new StoreAwayError('the rehearsal of a range failed: a store did not answer', {
      cause: error,
    })
  }
}
