/** Access tokens and API keys, as the people of their organization see and change them. Making one is in account-store.ts. */
import type { AccessScope } from '#schemas/rest/access-scope.ts'
import type { CredentialChange } from '#schemas/rest/organization.ts'
import type { Database } from '../database.ts'
import type { CredentialTable } from './account-lists.ts'

export interface StoredCredential {
  readonly id: string
  readonly prefix: string
  readonly label: string
  /** Of access tokens only. */
  readonly scopes: AccessScope[]
  /** The address of the person who created it; null: the command line, or a person who is gone. */
  readonly created_by: string | null
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
  return `id, prefix, label, ${scopes}, (select email from people where people.id = created_by) as created_by, created_at, last_used_at, expires_at, revoked_at`
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

/** Those that a person created and that still work: revoked, or with another person as their creator. */
export async function settleCredentialsOf(
  pg: Database,
  table: CredentialTable,
  settle: {
    readonly organizationId: string
    readonly createdBy: string
    /** Null: revoke them. */
    readonly newOwner: { readonly personId: string | null } | null
    readonly now: Date
  },
): Promise<Pick<StoredCredential, 'id' | 'prefix' | 'label'>[]> {
  const { organizationId, createdBy, newOwner, now } = settle
  const { rows } = await pg.query<Pick<StoredCredential, 'id' | 'prefix' | 'label'>>(
    `update ${table} set revoked_at = case when $3 then $4 else revoked_at end,
       created_by = case when $3 then created_by else $5 end
     where organization_id = $1 and created_by = $2 and revoked_at is null returning id, prefix, label`,
    [organizationId, createdBy, newOwner === null, now, newOwner?.personId ?? null],
  )
  return rows
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
