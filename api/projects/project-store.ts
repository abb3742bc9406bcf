import type { ProjectId } from '#schemas/ids.ts'
import type { Database } from '../database.ts'

export interface StoredProject {
  readonly id: string
  /** The project number, which identifies the project in both stores and in DSNs. */
  readonly dsnId: ProjectId
  readonly shortName: string
}

/** Undefined also when the project belongs to another organization. */
export async function findProject(
  pg: Database,
  project: { id: string; organizationId: string },
): Promise<StoredProject | undefined> {
  const { rows } = await pg.query<{ id: string; dsn_id: ProjectId; short_name: string }>(
    'select id, dsn_id, short_name from projects where id = $1 and organization_id = $2',
    [project.id, project.organizationId],
  )
  const row = rows[0]
  return row && { id: row.id, dsnId: row.dsn_id, shortName: row.short_name }
}

export interface OrganizationProject {
  readonly id: string
  readonly dsn_id: ProjectId
  readonly name: string
  readonly short_name: string
  readonly project_key: string
  /**
   * The public key of the default DSN key, else of the oldest active one; null when none is active.
   */
  readonly public_key: string | null
  readonly created_at: Date
}

/** Far more than an organization has: a list that is cut off does not say so. */
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

/**
 * The short name stays the same, because people refer to issues by short ids that begin with it.
 */
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
