/** Merges an idea into another one that it duplicates. Its votes count for the other idea then. */
import type { AdminIdea } from '#schemas/rest/portal/idea-admin.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { makeDuplicate } from './duplicates.ts'
import { findIdeaForTeam } from './idea-admin-store.ts'
import type { IdeaName } from './idea-store.ts'

export function mergeIdea(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { projectId, ideaId, into }: IdeaName & { readonly into: string },
): Promise<AdminIdea> {
  const idea = { projectId, ideaId }
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    const original = await makeDuplicate(pg, { ...idea, into, actor: actor.name, now })
    const { title } = found(await findIdeaForTeam(pg, { projectId, ideaId: original }))
    await addAudit(pg, actor, {
      action: 'idea.merged',
      subjectType: 'idea',
      subjectId: ideaId,
      details: { into: original, original: title },
    })
    return found(await findIdeaForTeam(pg, idea))
  })
}
