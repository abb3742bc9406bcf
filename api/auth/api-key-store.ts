import type { Database } from '../database.ts'

export interface StoredApiKey {
  readonly id: string
  readonly organizationId: string
  readonly lastUsedAt: Date | null
}

/** Returns undefined for an unknown, revoked or expired key. */
export async function findApiKey(
  pg: Database,
  key: { hash: Buffer; now: Date },
): Promise<StoredApiKey | undefined> {
  const { rows } = await pg.query<StoredApiKey>(
    `select id, organization_id as "organizationId", last_used_at as "lastUsedAt" from api_keys
     where key_hash = $1 and revoked_at is null and (expires_at is null or $2 < expires_at)`,
    [key.hash, key.now],
  )
  return rows[0]
}

/** Never moves back in time, so processes may write in any order. */
export async function touchApiKey(pg: Database, keyId: string, at: Date): Promise<void> {
  await pg.query(
    `update api_keys set last_used_at = $2
     where id = $1 and (last_used_at is null or last_used_at < $2)`,
    [keyId, at],
  )
}
