import type { Database } from '../database.ts'

export interface PageOrganization {
  readonly id: string
  readonly name: string
}

/** The organization of a project, for a link that somebody without a login opens. */
export async function findOrganizationOf(
  pg: Database,
  projectId: string,
): Promise<string | undefined> {
  const { rows } = await pg.query<{ organization_id: string }>(
    'select organization_id from projects where id = $1',
    [projectId],
  )
  return rows[0]?.organization_id
}

/** The organization of a project. Undefined unless the person belongs to it. */
export async function findSharedOrganization(
  pg: Database,
  { projectId, personId }: { readonly projectId: string; readonly personId: string },
): Promise<PageOrganization | undefined> {
  const { rows } = await pg.query<PageOrganization>(
    `select o.id, o.name from projects p
       join organizations o on o.id = p.organization_id
       join memberships m on m.organization_id = o.id and m.person_id = $2
      where p.id = $1`,
    [projectId, personId],
  )
  return rows[0]
}
