/** The ownership rules of a project, and whom their owners name. */
import type { ProjectId } from '#schemas/ids.ts'
import type { Database } from '../database.ts'
import type { PersonOrTeam } from '../issues/states/plan-issue-change.ts'

export async function readOwnership(pg: Database, projectId: ProjectId): Promise<string> {
  const { rows } = await pg.query<{ ownership: string }>(
    'select ownership from projects where dsn_id = $1',
    [projectId],
  )
  return rows[0]?.ownership ?? ''
}

export async function writeOwnership(
  pg: Database,
  projectId: ProjectId,
  rules: string,
): Promise<void> {
  await pg.query('update projects set ownership = $2 where dsn_id = $1', [projectId, rules])
}

/** By name: `#slug` or email address. Names of nobody are left out. */
export async function findOwners(
  pg: Database,
  projectId: ProjectId,
  names: readonly string[],
): Promise<Map<string, PersonOrTeam>> {
  const { rows } = await pg.query<PersonOrTeam & { owner: string }>(
    `with organization as (select organization_id as id from projects where dsn_id = $1)
     select people.email as owner, 'person' as kind, people.id, coalesce(people.name, people.email) as name
     from people join memberships on person_id = people.id join organization on organization.id = organization_id
     where email = any($2)
     union all
     select '#' || slug, 'team', teams.id, teams.name
     from teams join organization on organization.id = organization_id where '#' || slug = any($2)`,
    [projectId, names],
  )
  return new Map(rows.map(({ owner, kind, id, name }) => [owner, { kind, id, name }]))
}
