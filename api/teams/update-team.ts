import type { Team, TeamChange } from '#schemas/rest/team.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { changeTeam, lockTeam } from './team-store.ts'
import { readTeam } from './team-view.ts'

/** Ownership rules that name the former slug have no effect until they are changed. */
export async function updateTeam(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { named, change }: { readonly named: string; readonly change: TeamChange },
): Promise<Team> {
  const { organizationId } = actor
  return ctx.pg.transaction(async (client) => {
    const before = found(await lockTeam(client, { organizationId, named }))
    const { id } = before
    const slug = change.slug ?? before.slug
    const name = change.name ?? before.name
    if (slug !== before.slug || name !== before.name) {
      await changeTeam(client, { id, slug, name })
      await addAudit(client, actor, {
        action: 'team.changed',
        subjectType: 'team',
        subjectId: id,
        details: { from: { slug: before.slug, name: before.name }, to: { slug, name } },
      })
    }
    return readTeam(client, { organizationId, named: id })
  })
}
