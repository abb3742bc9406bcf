import type { Database } from '../database.ts'

export interface StoredConfirmToken {
  readonly contactId: string
  readonly expiresAt: Date
  readonly usedAt: Date | null
}

/** Stores the hash of a token. Earlier tokens stay valid, because people open older emails, too. */
export async function addConfirmToken(
  pg: Database,
  token: { hash: Buffer; contactId: string; expiresAt: Date; now: Date },
): Promise<void> {
  await pg.query(
    `insert into confirm_tokens (token_hash, contact_id, expires_at, created_at) values ($1, $2, $3, $4)`,
    [token.hash, token.contactId, token.expiresAt, token.now],
  )
}

export async function findConfirmToken(
  pg: Database,
  hash: Buffer,
): Promise<StoredConfirmToken | undefined> {
  const { rows } = await pg.query<StoredConfirmToken>(
    `select contact_id as "contactId", expires_at as "expiresAt", used_at as "usedAt"
     from confirm_tokens where token_hash = $1`,
    [hash],
  )
  return rows[0]
}

export async function useConfirmToken(
  pg: Database,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<void> {
  await pg.query(
    `update confirm_tokens set used_at = coalesce(used_at, $2) where token_hash = $1`,
    [hash, now],
  )
}
