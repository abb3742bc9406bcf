/** Trusts or blocks a user of a portal, or undoes either. */
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { found } from '../../http/route.ts'
import { findPortalUser, type PortalUserRow, setPortalUserFlags } from './enduser-store.ts'

export interface UpdatePortalUser {
  /** A project of the actor's organization. */
  readonly projectId: string
  /** Id of the row. */
  readonly id: string
  /** Undefined keeps the value. */
  readonly trusted: boolean | undefined
  readonly blocked: boolean | undefined
}

export function updatePortalUser(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { projectId, id, trusted, blocked }: UpdatePortalUser,
): Promise<PortalUserRow> {
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    const isKnown = await setPortalUserFlags(pg, { projectId, id, trusted, blocked, now })
    found(isKnown || undefined)
    await addAudit(pg, actor, {
      action: 'enduser.changed',
      subjectType: 'enduser',
      subjectId: id,
      details: { project_id: projectId, trusted, blocked },
    })
    return found(await findPortalUser(pg, { projectId, id }))
  })
}
