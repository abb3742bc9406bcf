import type { Database } from '../database.ts'

export interface StoredOrganization {
  readonly id: string
  readonly name: string
  readonly created_at: Date
}

export async function findOrganization(
  pg: Database,
  id: string,
): Promise<StoredOrganization | undefined> {
  const { rows } = await pg.query<StoredOrganization>(
    'select id, name, created_at from organizations where id = $1',
    [id],
  )
  return rows[0]
}

export async function renameOrganization(
  pg: Database,
  organization: { id: string; name: string },
): Promise<StoredOrganization | undefined> {
  const { rows } = await pg.query<StoredOrganization>(
    'update organizations set name = $2 where id = $1 returning id, name, created_at',
    [organization.id, organization.name],
  )
  return rows[0]
}

export interface OrganizationProject {
  readonly id: string
  readonly dsn_id: number
  readonly name: string
  readonly short_name: string
  readonly project_key: string
  /** Of the default key, else of the oldest one that works. */
  readonly public_key: string | null
  readonly created_at: Date
}

/** Far more than an organization has. */
const projectsMax = 10_000

const projectColumns = `id, dsn_id, name, short_name, project_key, created_at, (
    select public_key from dsn_keys where project_id = projects.id and status = 'active'
    order by label is not null, key_no limit 1
  ) as public_key`

export async function listOrganizationProjects(
  pg: Database,
  organizationId: string,
): Promise<OrganizationProject[]> {
  const { rows } = await pg.query<OrganizationProject>(
    `select ${projectColumns} from projects where organization_id = $1
     order by dsn_id limit ${projectsMax}`,
    [organizationId],
  )
  return rows
}

export async function findOrganizationProject(
  pg: Database,
  project: { organizationId: string; id: string },
): Promise<OrganizationProject | undefined> {
  const { rows } = await pg.query<OrganizationProject>(
    `select ${projectColumns} from projects where organization_id = $1 and id = $2`,
    [project.organizationId, project.id],
  )
  return rows[0]
}

/** The short name stays: it stands in short ids that people have written down. */
export async function renameProject(
  pg: Database,
  project: { organizationId: string; id: string; name: string },
): Promise<OrganizationProject | undefined> {
  const { rows } = await pg.query<OrganizationProject>(
    `update projects set name = $3 where organization_id = $1 and id = $2
     returning ${projectColumns}`,
    [project.organizationId, project.id, project.name],
  )
  return rows[0]
}
