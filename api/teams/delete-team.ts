import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { unassignIssues } from '../issues/states/unassign-issues.ts'
import { deleteTeamRow, lockTeam, type StoredTeam } from './team-store.ts'

/** Deletes a team. Its issues belong to nobody then, which their activity says. */
export async function deleteTeam(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { named }: { readonly named: string },
): Promise<StoredTeam> {
  const { organizationId } = actor
  const at = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (client) => {
    const team = found(await lockTeam(client, { organizationId, named }))
    const { id, slug, name } = team
    const owner = { kind: 'team', id, name } as const
    const reason = 'The team was deleted.'
    const issues = await unassignIssues(client, actor, { owner, reason, at })
    await addAudit(client, actor, {
      action: 'team.deleted',
      subjectType: 'team',
      subjectId: id,
      details: { slug, name, members: team.member_count, unassigned_issues: issues },
    })
    await deleteTeamRow(client, id)
    return team
  })
}
