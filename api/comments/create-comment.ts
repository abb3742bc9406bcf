/** Creates the comment of a visitor: published or pending. */
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../context.ts'
import { found, requireUuid } from '../http/route.ts'
import { moderationOf } from '../moderation/moderation-of.ts'
import { type UserClaim, writerOf } from '../portal/gate/enduser.ts'
import { addComment } from './add-comment.ts'
import { lockIdeaOfComments } from './comment-store.ts'

export interface CreateComment {
  /** The id in the path of the request, not checked yet. */
  readonly ideaId: string
  readonly parentId: string | null | undefined
  readonly body: string
}

/** Returns the id of the comment. */
export function createComment(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  claim: UserClaim,
  { ideaId: namedId, parentId, body }: CreateComment,
): Promise<string> {
  const { projectId, settings } = claim.portal
  return ctx.pg.transaction(async (pg) => {
    const author = await writerOf(pg, ctx, claim)
    if (settings.branding?.['allow_comments'] === false) throw new CodedError('comments_closed')
    const ideaId = requireUuid(namedId)
    found(await lockIdeaOfComments(pg, { projectId, ideaId, viewerId: author.id }))
    const { trusted } = author
    return addComment(pg, {
      projectId,
      ideaId,
      parentId,
      body,
      authorId: author.id,
      authorName: author.name,
      authorEmail: author.emailOfThis,
      moderation: moderationOf({ what: 'comment', trusted, texts: [body] }, settings),
      now: new Date(ctx.clock.nowMs()),
    })
  })
}
