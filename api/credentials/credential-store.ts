/** Access tokens and API keys. */
import { v7 as uuidv7 } from 'uuid'
import { type AccessScope, defaultScopes } from '#schemas/rest/access-scope.ts'
import type { CredentialChange } from '#schemas/rest/organization.ts'
import { makeSecret } from '../auth/secret.ts'
import type { Database } from '../database.ts'

/** The kinds of credentials, by their tables. */
export type CredentialTable = 'access_tokens' | 'api_keys'

/** Their names in the audit log. */
export const credentialNouns = {
  access_tokens: 'token',
  api_keys: 'api_key',
} as const satisfies Record<CredentialTable, string>

export interface StoredCredential {
  readonly id: string
  readonly prefix: string
  readonly label: string
  /** API keys have none. */
  readonly scopes: AccessScope[]
  /**
   * The email address of the person who created it; null for the command line or a deleted person.
   */
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

/** Far more rows than an organization has. A longer list is cut without notice. */
const credentialsMax = 10_000

function columns(table: CredentialTable): string {
  const scopes = table === 'access_tokens' ? 'scopes' : "'{}'::text[] as scopes"
  return `id, prefix, label, ${scopes}, (select email from people where people.id = created_by) as created_by, created_at, last_used_at, expires_at, revoked_at`
}

export async function listCredentials(
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

export async function findCredential(
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

/**
 * Returns the id of the only credential with this id or prefix; undefined for none or several.
 */
export async function findNamedCredential(
  pg: Database,
  table: CredentialTable,
  credential: { readonly organizationId: string; readonly named: string },
): Promise<string | undefined> {
  const { rows } = await pg.query<{ id: string }>(
    `select min(id::text)::uuid as id from ${table}
     where organization_id = $1 and (id::text = lower($2) or prefix = $2) having count(*) = 1`,
    [credential.organizationId, credential.named],
  )
  return rows[0]?.id
}

/** Revoking again keeps the first time. */
export async function changeCredential(
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

/** Revokes the active credentials that a person created, or makes another person their creator. */
export async function settleCredentialsOf(
  pg: Database,
  table: CredentialTable,
  settle: {
    readonly organizationId: string
    readonly createdBy: string
    /** Null to revoke them. */
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

export async function deleteCredential(
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

/** `value` is returned once: the database stores its hash only. */
export interface NewCredential {
  readonly id: string
  readonly prefix: string
  readonly label: string
  readonly value: string
}

export async function addAccessToken(
  pg: Database,
  token: {
    organizationId: string
    label: string
    scopes?: readonly AccessScope[]
    expiresAt?: Date | null
    createdBy?: string | null
  },
): Promise<NewCredential & { scopes: readonly AccessScope[] }> {
  const id = uuidv7()
  const secret = makeSecret('oat_')
  const scopes = token.scopes ?? defaultScopes
  await pg.query(
    `insert into access_tokens (id, organization_id, label, prefix, token_hash, scopes, expires_at, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      id,
      token.organizationId,
      token.label,
      secret.prefix,
      secret.hash,
      scopes,
      token.expiresAt,
      token.createdBy,
    ],
  )
  return { id, prefix: secret.prefix, label: token.label, scopes, value: secret.value }
}

export async function addApiKey(
  pg: Database,
  key: {
    organizationId: string
    label: string
    expiresAt?: Date | null
    createdBy?: string | null
  },
): Promise<NewCredential> {
  const id = uuidv7()
  const secret = makeSecret('emk_')
  await pg.query(
    `insert into api_keys (id, organization_id, label, prefix, key_hash, expires_at, created_by)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, key.organizationId, key.label, secret.prefix, secret.hash, key.expiresAt, key.createdBy],
  )
  return { id, prefix: secret.prefix, label: key.label, value: secret.value }
}
