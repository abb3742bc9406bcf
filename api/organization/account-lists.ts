/** What there is of organizations, projects and credentials, and the changes that people make to credentials. */
import type { Database } from '../database.ts'

/** Far more than an installation has; a list that is cut says nothing, so it must not happen. */
const rowsMax = 10_000

export interface ListedOrganization {
  readonly id: string
  readonly name: string
  readonly created_at: Date
}

export interface ListedProject {
  readonly id: string
  readonly organization_id: string
  readonly dsn_id: number
  readonly name: string
  readonly project_key: string
  /** Of the default key, else of the oldest one that works. */
  readonly public_key: string | null
}

export interface ListedDsnKey {
  readonly id: string
  readonly label: string | null
  readonly public_key: string
  readonly dsn_id: number
  readonly status: 'active' | 'disabled'
  readonly last_used_at: Date | null
}

export interface ListedCredential {
  readonly id: string
  readonly prefix: string
  readonly label: string
  readonly scopes?: string[]
  readonly created_at: Date
  readonly last_used_at: Date | null
  readonly revoked_at: Date | null
}

export interface ListedNewsletter {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly from: string
  readonly confirm: boolean
}

export async function listOrganizations(pg: Database): Promise<ListedOrganization[]> {
  const { rows } = await pg.query<ListedOrganization>(
    `select id, name, created_at from organizations order by created_at, id limit ${rowsMax}`,
  )
  return rows
}

export async function listProjects(pg: Database, organizationId: string): Promise<ListedProject[]> {
  const { rows } = await pg.query<ListedProject>(
    `select id, organization_id, dsn_id, name, project_key, (
       select public_key from dsn_keys
       where project_id = projects.id and status = 'active'
       order by label is not null, key_no limit 1
     ) as public_key
     from projects where organization_id = $1 order by dsn_id limit ${rowsMax}`,
    [organizationId],
  )
  return rows
}

const keyColumns = `dsn_keys.id, dsn_keys.label, dsn_keys.public_key, projects.dsn_id,
  dsn_keys.status, dsn_keys.last_used_at`

export async function listDsnKeys(pg: Database, projectId: string): Promise<ListedDsnKey[]> {
  const { rows } = await pg.query<ListedDsnKey>(
    `select ${keyColumns} from dsn_keys join projects on projects.id = dsn_keys.project_id
     where projects.id = $1 order by dsn_keys.key_no limit ${rowsMax}`,
    [projectId],
  )
  return rows
}

/** Named by its id or its public half. */
export async function setDsnKeyStatus(
  pg: Database,
  change: { organizationId: string; key: string; status: 'active' | 'disabled' },
): Promise<ListedDsnKey | undefined> {
  const { rows } = await pg.query<ListedDsnKey>(
    `update dsn_keys set status = $3 from projects
     where projects.id = dsn_keys.project_id and projects.organization_id = $1
       and (dsn_keys.id::text = lower($2) or dsn_keys.public_key = lower($2))
     returning ${keyColumns}`,
    [change.organizationId, change.key, change.status],
  )
  return rows[0]
}

export type CredentialTable = 'access_tokens' | 'api_keys'

function credentialColumns(table: CredentialTable): string {
  const scopes = table === 'access_tokens' ? 'scopes, ' : ''
  return `id, prefix, label, ${scopes}created_at, last_used_at, revoked_at`
}

export async function listCredentials(
  pg: Database,
  table: CredentialTable,
  organizationId: string,
): Promise<ListedCredential[]> {
  const { rows } = await pg.query<ListedCredential>(
    `select ${credentialColumns(table)} from ${table}
     where organization_id = $1 order by created_at, id limit ${rowsMax}`,
    [organizationId],
  )
  return rows
}

/** Named by its id or its prefix, where no other one has that; revoking twice keeps the first time. */
export async function revokeCredential(
  pg: Database,
  table: CredentialTable,
  credential: { organizationId: string; name: string; at: Date },
): Promise<ListedCredential | undefined> {
  const { rows } = await pg.query<ListedCredential>(
    `update ${table} set revoked_at = coalesce(revoked_at, $3)
     where id = (${namedCredential(table)}) returning ${credentialColumns(table)}`,
    [credential.organizationId, credential.name, credential.at],
  )
  return rows[0]
}

export async function deleteCredential(
  pg: Database,
  table: CredentialTable,
  credential: { organizationId: string; name: string },
): Promise<ListedCredential | undefined> {
  const { rows } = await pg.query<ListedCredential>(
    `delete from ${table}
     where id = (${namedCredential(table)}) returning ${credentialColumns(table)}`,
    [credential.organizationId, credential.name],
  )
  return rows[0]
}

function namedCredential(table: CredentialTable): string {
  return `select min(id::text)::uuid from ${table}
    where organization_id = $1 and (id::text = lower($2) or prefix = $2) having count(*) = 1`
}

export async function listNewsletters(
  pg: Database,
  organizationId: string,
): Promise<ListedNewsletter[]> {
  const { rows } = await pg.query<ListedNewsletter>(
    `select id, slug, name, from_address as "from", confirm_signups as confirm
     from newsletters where organization_id = $1 order by slug limit ${rowsMax}`,
    [organizationId],
  )
  return rows
}
