import type { AccessScope } from '#schemas/rest/access-scope.ts'
import type { Database } from '../database.ts'

export interface StoredToken {
  readonly id: string
  readonly organizationId: string
  readonly label: string
  readonly scopes: readonly AccessScope[]
  readonly lastUsedAt: Date | null
  readonly revoked: boolean
  readonly expiresAt: Date | null
}

export async function findAccessToken(
  pg: Database,
  hash: Buffer,
): Promise<StoredToken | undefined> {
  const { rows } = await pg.query<{
    id: string
    organization_id: string
    label: string
    scopes: AccessScope[]
    last_used_at: Date | null
    revoked_at: Date | null
    expires_at: Date | null
  }>(
    `select id, organization_id, label, scopes, last_used_at, revoked_at, expires_at
     from access_tokens where token_hash = $1`,
    [hash],
  )
  const row = rows[0]
  if (row === undefined) return undefined
  return {
    id: row.id,
    organizationId: row.organization_id,
    label: row.label,
    scopes: row.scopes,
    lastUsedAt: row.last_used_at,
    revoked: row.revoked_at !== null,
    expiresAt: row.expires_at,
  }
}

/** Never moves back in time, so processes may write in any order. */
export async function touchAccessToken(pg: Database, tokenId: string, at: Date): Promise<void> {
  await pg.query(
    `update access_tokens set last_used_at = $2
     where id = $1 and (last_used_at is null or last_used_at < $2)`,
    [tokenId, at],
  )
}
