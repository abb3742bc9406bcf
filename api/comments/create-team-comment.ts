/** Creates a comment of the team, which is published at once. */
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { addComment } from './add-comment.ts'
import { lockIdeaOfComments } from './comment-store.ts'

/** Shown to visitors when the person has given no name. */
const teamName = 'Team'

export interface CreateTeamComment {
  /** A project of the actor's organization. */
  readonly projectId: string
  readonly ideaId: string
  readonly parentId: string | null | undefined
  readonly body: string
  /** Name under which visitors read the comment; never an address. Null: "Team". */
  readonly signature: string | null
}

/** Returns the id of the comment. */
export function createTeamComment(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { signature, ...comment }: CreateTeamComment,
): Promise<string> {
  const { projectId, ideaId } = comment
  return ctx.pg.transaction(async (pg) => {
    found(await lockIdeaOfComments(pg, { projectId, ideaId, viewerId: null }))
    const commentId = await addComment(pg, {
      ...comment,
      authorId: null,
      authorName: signature ?? teamName,
      authorEmail: null,
      moderation: 'published',
      now: new Date(ctx.clock.nowMs()),
    })
    await addAudit(pg, actor, {
      action: 'comment.created',
      subjectType: 'comment',
      subjectId: commentId,
      details: { project_id: projectId, idea_id: ideaId },
    })
    return commentId
  })
}
