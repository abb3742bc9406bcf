/** Updates or deletes many feedback items in one transaction, with one audit entry for all. */
import type { FeedbackBulk } from '#schemas/rest/portal/feedback.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { changeFeedback, removeFeedback } from './feedback-writes.ts'

export interface BulkFeedback {
  /** A project of the actor's organization. */
  readonly project: { readonly id: string; readonly dsnId: number }
  readonly bulk: FeedbackBulk
}

/** Returns the number of items that were changed or deleted; ids that do not exist are ignored. */
export function bulkFeedback(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { project, bulk }: BulkFeedback,
): Promise<number> {
  const { dsnId } = project
  const { ids, change } = bulk
  const at = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    const count =
      change === undefined
        ? await removeFeedback(pg, { dsnId, ids })
        : await changeFeedback(pg, { dsnId, ids, change, at })
    await addAudit(pg, actor, {
      action: change === undefined ? 'feedback.deleted' : 'feedback.changed',
      subjectType: 'project',
      subjectId: project.id,
      details: { ids, count, ...change },
    })
    return count
  })
}
