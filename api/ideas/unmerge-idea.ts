/** Undoes the merge of an idea, which gets back its votes, its status and its own duplicates. */
import type { AdminIdea } from '#schemas/rest/portal/idea-admin.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { undoDuplicate } from './duplicates.ts'
import { findIdeaForTeam } from './idea-admin-store.ts'
import type { IdeaName } from './idea-store.ts'

export function unmergeIdea(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { projectId, ideaId }: IdeaName,
): Promise<AdminIdea> {
  const idea = { projectId, ideaId }
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    await undoDuplicate(pg, { ...idea, actor: actor.name, now })
    const entry = { action: 'idea.unmerged', subjectType: 'idea', subjectId: ideaId } as const
    await addAudit(pg, actor, entry)
    return found(await findIdeaForTeam(pg, idea))
  })
}
