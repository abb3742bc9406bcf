/** A visitor's new idea: published or waiting, once however often it is sent, and not more an hour than the project takes. */
import { v7 as uuidv7 } from 'uuid'
import { CodedError } from '#schemas/error-codes.ts'
import type { Database } from '../database.ts'
import { moderationOf } from '../moderation/moderation-of.ts'
import type { StoredEndUser } from '../portal/gate/enduser.ts'
import type { PortalProject } from '../portal/gate/portal-gate.ts'
import { takeSuggestion } from '../portal/gate/portal-limits.ts'
import { addIdea, addIdeaEvent, findRecentTwin } from './idea-store.ts'

/** A form that is sent twice, or again because nothing seemed to happen. */
const twinMsMax = 10 * 60_000

export interface NewSuggestion {
  readonly portal: PortalProject
  readonly author: StoredEndUser
  /** Of who sends it, as limits count it. */
  readonly address: string
  readonly title: string
  readonly description: string
  readonly now: Date
}

/** In the caller's transaction. Returns the idea's id. */
export async function suggestIdea(
  pg: Database,
  { portal, author, address, title, description, now }: NewSuggestion,
): Promise<string> {
  const { projectId, settings } = portal
  if (settings.branding?.['allow_suggestions'] === false) throw new CodedError('suggestions_closed')

  const since = new Date(now.getTime() - twinMsMax)
  const twin = await findRecentTwin(pg, { projectId, authorId: author.id, title, since })
  if (twin !== undefined) return twin

  await takeSuggestion(pg, { portal, address, now })

  const id = uuidv7({ msecs: now.getTime() })
  const texts = [title, description]
  const moderation = moderationOf({ what: 'idea', trusted: author.trusted, texts }, settings)
  const authorEmail = author.emailOfThis
  const idea = { id, projectId, title, description, moderation, authorId: author.id, authorEmail }
  await addIdea(pg, { ...idea, status: 'Open', now })
  await addIdeaEvent(pg, { ideaId: id, kind: 'created', toStatus: 'Open', now })
  return id
}
