/**
 * Compares every stored count of ideas with the rows it counts, once a week. Counts are updated in
 * the transactions that change the rows, so a difference is a bug: it is logged as an error for an
 * operator.
 */
import type { Logger } from '#platform/logger.ts'

export interface CountDrift {
  readonly projectId: string
  readonly what: 'votes' | 'comments' | 'totals' | 'tags'
  readonly rows: number
}

export interface DriftContext {
  /** Number of rows that differ from their count, by project and kind. */
  readonly count: () => Promise<readonly CountDrift[]>
  readonly log: Pick<Logger, 'error' | 'info'>
}

export async function reportDrift(ctx: DriftContext): Promise<void> {
  const drifted = (await ctx.count()).filter(({ rows }) => rows > 0)
  for (const { projectId, what, rows } of drifted) {
    ctx.log.error(
      { code: 'portal_counts_drifted', projectId, what, rows },
      'Stored counts of ideas differ from the rows they count.',
    )
  }
  if (drifted.length === 0)
    ctx.log.info({ code: 'portal_counts_true' }, 'All stored counts of ideas are correct.')
}
