/** Changes the status or the type of a feedback item, archives it or restores it. */
import type { FeedbackChange } from '#schemas/rest/portal/feedback.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { findFeedback, type StoredFeedback } from './feedback-store.ts'
import { changeFeedback } from './feedback-writes.ts'

export interface UpdateFeedback {
  /** DSN number of a project of the actor's organization. */
  readonly dsnId: number
  readonly id: string
  readonly change: FeedbackChange
}

export function updateFeedback(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { dsnId, id, change }: UpdateFeedback,
): Promise<StoredFeedback> {
  const at = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    const changed = await changeFeedback(pg, { dsnId, ids: [id], change, at })
    found(changed === 1 || undefined)
    await addAudit(pg, actor, {
      action: 'feedback.changed',
      subjectType: 'feedback',
      subjectId: id,
      details: change,
    })
    return found(await findFeedback(pg, { dsnId, id }))
  })
}
