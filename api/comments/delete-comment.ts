/** Deletes a comment, as the team. While it has replies, an empty comment stays in its place. */
import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { markCommentDeleted } from './comment-store.ts'

export interface DeleteComment {
  /** A project of the actor's organization. */
  readonly projectId: string
  readonly commentId: string
}

export function deleteComment(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { projectId, commentId }: DeleteComment,
): Promise<void> {
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    const isDeleted = await markCommentDeleted(pg, { projectId, commentId, now })
    if (!isDeleted) throw new CodedError('not_found')
    await addAudit(pg, actor, {
      action: 'comment.deleted',
      subjectType: 'comment',
      subjectId: commentId,
      details: { project_id: projectId },
    })
  })
}
