import type { Team, TeamBody } from '#schemas/rest/team.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { addTeam } from './team-store.ts'
import { readTeam } from './team-view.ts'

/** Throws `conflict` when the organization has a team with this slug. */
export async function createTeam(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { slug, name }: TeamBody,
): Promise<Team> {
  const { organizationId } = actor
  return ctx.pg.transaction(async (client) => {
    const id = await addTeam(client, { organizationId, slug, name })
    await addAudit(client, actor, {
      action: 'team.created',
      subjectType: 'team',
      subjectId: id,
      details: { slug, name },
    })
    return readTeam(client, { organizationId, named: id })
  })
}
