import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { WarnedProject } from './quota-warning.ts'

export async function findWarnedProject(
  pg: Pool,
  projectId: ProjectId,
): Promise<WarnedProject | undefined> {
  const { rows } = await pg.query<{
    name: string
    organization_id: string
    organization_name: string
    monthly_events: number | null
    owners: string[]
  }>(
    `select projects.name, organizations.id as organization_id, organizations.name as organization_name, monthly_events, array(
       select email from memberships join people on people.id = person_id
       where memberships.organization_id = organizations.id and role = 'owner' order by email
     ) as owners
     from projects join organizations on organizations.id = organization_id
     where dsn_id = $1`,
    [projectId],
  )
  const row = rows[0]
  return (
    row && {
      name: row.name,
      organizationId: row.organization_id,
      organizationName: row.organization_name,
      monthlyEvents: row.monthly_events,
      ownerAddresses: row.owners,
    }
  )
}
