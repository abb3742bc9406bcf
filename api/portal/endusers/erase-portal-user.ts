/**
 * Erases the id, the addresses and the name of a user. Votes, ideas and comments stay, anonymous.
 */
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { found } from '../../http/route.ts'
import { anonymizeEndUser } from './enduser-store.ts'

export interface ErasePortalUser {
  /** A project of the actor's organization. */
  readonly projectId: string
  /** Id of the row. */
  readonly id: string
}

export function erasePortalUser(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { projectId, id }: ErasePortalUser,
): Promise<void> {
  return ctx.pg.transaction(async (pg) => {
    found((await anonymizeEndUser(pg, { projectId, id })) || undefined)
    await addAudit(pg, actor, {
      action: 'enduser.erased',
      subjectType: 'enduser',
      subjectId: id,
      details: { project_id: projectId },
    })
  })
}
