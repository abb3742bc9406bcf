/** Deletes a feedback item. This cannot be undone. */
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { removeFeedback } from './feedback-writes.ts'

export interface DeleteFeedback {
  /** DSN number of a project of the actor's organization. */
  readonly dsnId: number
  readonly id: string
}

export function deleteFeedback(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { dsnId, id }: DeleteFeedback,
): Promise<void> {
  return ctx.pg.transaction(async (pg) => {
    found((await removeFeedback(pg, { dsnId, ids: [id] })) === 1 || undefined)
    const entry = { action: 'feedback.deleted', subjectType: 'feedback', subjectId: id } as const
    await addAudit(pg, actor, entry)
  })
}
