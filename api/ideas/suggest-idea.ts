/**
 * Adds the idea of a visitor: published or pending. The same title of the same user within ten
 * minutes is the same idea. Suggestions are limited by hour, for each client address and for the
 * portal.
 */
import { v7 as uuidv7 } from 'uuid'
import { CodedError } from '#schemas/error-codes.ts'
import { fireNewIdea } from '../alerts/fire-rules-store.ts'
import type { ApiContext } from '../context.ts'
import { moderationOf } from '../moderation/moderation-of.ts'
import { type UserClaim, writerOf } from '../portal/gate/enduser.ts'
import { takeSuggestion } from '../portal/gate/portal-limits.ts'
import { addIdea, addIdeaEvent, findRecentTwin } from './idea-store.ts'

/** A form may be sent twice, or again because the reply was slow. */
const twinMsMax = 10 * 60_000

export interface SuggestIdea {
  readonly title: string
  readonly description: string
  /** Client address, as the limits count it. */
  readonly address: string
}

/** Returns the id of the idea. */
export function suggestIdea(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  claim: UserClaim,
  { title, description, address }: SuggestIdea,
): Promise<string> {
  const { portal } = claim
  const { projectId, settings } = portal
  return ctx.pg.transaction(async (pg) => {
    const author = await writerOf(pg, ctx, claim)
    if (settings.branding?.['allow_suggestions'] === false) {
      throw new CodedError('suggestions_closed')
    }
    const now = new Date(ctx.clock.nowMs())
    const since = new Date(now.getTime() - twinMsMax)
    const twin = await findRecentTwin(pg, { projectId, authorId: author.id, title, since })
    if (twin !== undefined) return twin
    await takeSuggestion(pg, { portal, address, now })

    const ideaId = uuidv7({ msecs: now.getTime() })
    const { trusted } = author
    const moderation = moderationOf(
      { what: 'idea', trusted, texts: [title, description] },
      settings,
    )
    await addIdea(pg, {
      id: ideaId,
      projectId,
      title,
      description,
      status: 'Open',
      moderation,
      authorId: author.id,
      authorEmail: author.emailOfThis,
      now,
    })
    await addIdeaEvent(pg, { ideaId, kind: 'created', toStatus: 'Open', now })
    const idea = { id: ideaId, title, status: 'Open' }
    await fireNewIdea(pg, { projectId, idea, isPending: moderation === 'pending', now })
    return ideaId
  })
}
