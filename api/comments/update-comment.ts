/** Replaces the text of a comment, as the team. */
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { type CommentRow, storeCommentBody } from './comment-store.ts'

export interface UpdateComment {
  /** A project of the actor's organization. */
  readonly projectId: string
  readonly commentId: string
  readonly body: string
}

export function updateComment(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { projectId, commentId, body }: UpdateComment,
): Promise<CommentRow> {
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    const row = found(await storeCommentBody(pg, { projectId, commentId, body, now }))
    await addAudit(pg, actor, {
      action: 'comment.edited',
      subjectType: 'comment',
      subjectId: commentId,
      details: { project_id: projectId },
    })
    return row
  })
}
