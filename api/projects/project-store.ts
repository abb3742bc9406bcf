import { randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { CodedError } from '#schemas/error-codes.ts'
import type { ProjectId, ProjectUuid } from '#schemas/ids.ts'
import type { Database } from '../database.ts'
import { freeShortName } from './short-name.ts'

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

/** The organization of a project. Undefined unless the person belongs to it. */
export async function findSharedOrganization(
  pg: Database,
  { projectId, personId }: { readonly projectId: string; readonly personId: string },
): Promise<{ readonly id: string; readonly name: string } | undefined> {
  const { rows } = await pg.query<{ id: string; name: string }>(
    `select o.id, o.name from projects p
       join organizations o on o.id = p.organization_id
       join memberships m on m.organization_id = o.id and m.person_id = $2
      where p.id = $1`,
    [projectId, personId],
  )
  return rows[0]
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

/** Far more rows than an organization has. A longer list is cut without notice. */
const projectsMax = 10_000
/** A try fails when another project with the same short name was created concurrently. */
const shortNameTriesMax = 20

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

export interface NewProject {
  readonly id: ProjectUuid
  readonly dsnId: ProjectId
  readonly name: string
  readonly shortName: string
  readonly projectKey: string
}

/** Creates no DSN key. The caller creates the default key in the same transaction. */
export async function addProject(
  pg: Database,
  project: { organizationId: string; name: string },
): Promise<NewProject> {
  const id = uuidv7() as ProjectUuid
  // Fully random, because public URLs contain the key and must not reveal when the project was
  // created.
  const projectKey = randomUUID()
  for (let attempt = 1; attempt <= shortNameTriesMax; attempt++) {
    const { rows: taken } = await pg.query<{ short_name: string }>(
      'select short_name from projects where organization_id = $1',
      [project.organizationId],
    )
    const shortName = freeShortName(project.name, new Set(taken.map((row) => row.short_name)))
    // `do nothing` instead of an error, which would abort the transaction of the caller.
    const { rows } = await pg.query<{ dsn_id: ProjectId }>(
      `insert into projects (id, organization_id, name, short_name, project_key)
       values ($1, $2, $3, $4, $5)
       on conflict (organization_id, short_name) do nothing returning dsn_id`,
      [id, project.organizationId, project.name, shortName, projectKey],
    )
    const dsnId = rows[0]?.dsn_id
    if (dsnId !== undefined) return { id, dsnId, name: project.name, shortName, projectKey }
  }
  throw new CodedError('conflict', { message: 'Too many projects of this name are being created.' })
}
