/**
 * Deletes an idea with its votes and comments. Its duplicates become ideas of their own again;
 * votes that it gave to its original stay there when it was a duplicate itself.
 */
import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { undoDuplicate } from './duplicates.ts'
import { findIdeaForTeam, removeIdea } from './idea-admin-store.ts'
import type { IdeaName } from './idea-store.ts'
import { listDuplicates, lockIdeas, lockMergingIdeas } from './merge-idea-store.ts'

/** Far more than anybody merges into one idea by hand. */
const duplicatesMax = 200

export function deleteIdea(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { projectId, ideaId }: IdeaName,
): Promise<void> {
  const idea = { projectId, ideaId }
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    const { title } = found(await findIdeaForTeam(pg, idea))
    await lockMergingIdeas(pg, projectId)
    const duplicates = await listDuplicates(pg, ideaId)
    if (duplicatesMax < duplicates.length) {
      const message = `The idea has more than ${duplicatesMax} duplicates. Undo merges first.`
      throw new CodedError('conflict', { message })
    }
    // All ideas are locked before any count, so that no transaction waits for an idea while it
    // holds counts.
    await lockIdeas(pg, { projectId, ids: [ideaId, ...duplicates] })
    for (const duplicate of duplicates) {
      await undoDuplicate(pg, { projectId, ideaId: duplicate, actor: actor.name, now })
    }
    if (!(await removeIdea(pg, idea))) throw new CodedError('not_found')
    await addAudit(pg, actor, {
      action: 'idea.deleted',
      subjectType: 'idea',
      subjectId: ideaId,
      details: { title },
    })
  })
}
