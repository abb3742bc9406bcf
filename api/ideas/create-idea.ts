/** Creates an idea in the name of the team: published at once, without an author or a vote. */
import { v7 as uuidv7 } from 'uuid'
import type { AdminIdea, NewTeamIdea } from '#schemas/rest/portal/idea-admin.ts'
import { fireNewIdea } from '../alerts/fire-rules-store.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { findIdeaForTeam } from './idea-admin-store.ts'
import { addIdea, addIdeaEvent } from './idea-store.ts'
import { requireKnownTags, setTagsOfIdea } from './tag-of-idea-store.ts'

export interface CreateIdea {
  /** A project of the actor's organization. */
  readonly projectId: string
  readonly idea: NewTeamIdea
}

export function createIdea(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { projectId, idea }: CreateIdea,
): Promise<AdminIdea> {
  const { tags, ...fields } = idea
  const now = new Date(ctx.clock.nowMs())
  const ideaId = uuidv7({ msecs: now.getTime() })
  return ctx.pg.transaction(async (pg) => {
    await addIdea(pg, {
      ...fields,
      id: ideaId,
      projectId,
      authorId: null,
      authorEmail: null,
      moderation: 'published',
      now,
    })
    requireKnownTags(await setTagsOfIdea(pg, { projectId, ideaId, slugs: tags }))
    await addIdeaEvent(pg, {
      ideaId,
      kind: 'created',
      toStatus: fields.status,
      actor: actor.name,
      now,
    })
    const { title, status } = fields
    const told = { id: ideaId, title, status }
    await fireNewIdea(pg, { projectId, idea: told, isPending: false, now })
    await addAudit(pg, actor, { action: 'idea.created', subjectType: 'idea', subjectId: ideaId })
    return found(await findIdeaForTeam(pg, { projectId, ideaId }))
  })
}
