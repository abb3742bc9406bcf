/** Access tokens and API keys, as the people of their organization see and change them. Making one is in account-store.ts. */
import type { AccessScope } from '#schemas/rest/access-scope.ts'
import type { CredentialChange } from '#schemas/rest/organization.ts'
import type { CredentialTable } from './account-lists.ts'
import type { Database } from './database.ts'

export interface StoredCredential {
  readonly id: string
  readonly prefix: string
  readonly label: string
  /** Of access tokens only. */
  readonly scopes: AccessScope[]
  readonly created_at: Date
  readonly last_used_at: Date | null
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
}

interface Named {
  readonly organizationId: string
  readonly id: string
}

/** Far more than an organization has. */
const credentialsMax = 10_000

function columns(table: CredentialTable): string {
  const scopes = table === 'access_tokens' ? 'scopes' : "'{}'::text[] as scopes"
  return `id, prefix, label, ${scopes}, created_at, last_used_at, expires_at, revoked_at`
}

export async function listOrganizationCredentials(
  pg: Database,
  table: CredentialTable,
  organizationId: string,
): Promise<StoredCredential[]> {
  const { rows } = await pg.query<StoredCredential>(
    `select ${columns(table)} from ${table} where organization_id = $1
     order by created_at, id limit ${credentialsMax}`,
    [organizationId],
  )
  return rows
}

export async function findOrganizationCredential(
  pg: Database,
  table: CredentialTable,
  named: Named,
): Promise<StoredCredential | undefined> {
  const { rows } = await pg.query<StoredCredential>(
    `select ${columns(table)} from ${table} where organization_id = $1 and id = $2`,
    [named.organizationId, named.id],
  )
  return rows[0]
}

/** Revoking twice keeps the first time. */
export async function changeOrganizationCredential(
  pg: Database,
  table: CredentialTable,
  named: Named,
  change: CredentialChange & { readonly now: Date },
): Promise<StoredCredential | undefined> {
  const { rows } = await pg.query<StoredCredential>(
    `update ${table} set label = coalesce($3, label),
       expires_at = case when $4 then $5::timestamptz else expires_at end,
       revoked_at = case when $6 then coalesce(revoked_at, $7) else revoked_at end
     where organization_id = $1 and id = $2 returning ${columns(table)}`,
    [
      named.organizationId,
      named.id,
      change.label ?? null,
      change.expires_at !== undefined,
      change.expires_at ?? null,
      change.revoked === true,
      change.now,
    ],
  )
  return rows[0]
}

export async function deleteOrganizationCredential(
  pg: Database,
  table: CredentialTable,
  named: Named,
): Promise<StoredCredential | undefined> {
  const { rows } = await pg.query<StoredCredential>(
    `delete from ${table} where organization_id = $1 and id = $2 returning ${columns(table)}`,
    [named.organizationId, named.id],
  )
  return rows[0]
}
