/**
 * Once a week every stored count of ideas is counted anew. They are kept in the transactions that they count, so there is nothing to
 * find; what is found all the same is told, and somebody must look how it came.
 */
import type { Logger } from '#platform/logger.ts'

export interface CountDrift {
  readonly projectId: string
  readonly what: 'votes' | 'comments' | 'totals' | 'tags'
  readonly rows: number
}

export interface DriftContext {
  /** Of each project and kind, how many rows are not what counting gives. */
  readonly count: () => Promise<readonly CountDrift[]>
  readonly log: Pick<Logger, 'error' | 'info'>
}

export async function reportDrift(ctx: DriftContext): Promise<void> {
  const drifted = (await ctx.count()).filter(({ rows }) => rows > 0)
  for (const { projectId, what, rows } of drifted) {
    ctx.log.error(
      { code: 'portal_counts_drifted', projectId, what, rows },
      'Stored counts of ideas are not what counting gives.',
    )
  }
  if (drifted.length === 0)
    ctx.log.info({ code: 'portal_counts_true' }, 'Counts of ideas are true.')
}
