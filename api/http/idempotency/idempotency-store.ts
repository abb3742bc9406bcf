import type { Database } from '../../database.ts'

/** The owner of an idempotency key. Each API key has its own keys. */
export interface IdempotencyId {
  readonly apiKeyId: string
  readonly keyHash: Buffer
}

/** Takes a lock until the transaction ends; false when another transaction holds it. */
export async function lockIdempotencyKey(pg: Database, id: IdempotencyId): Promise<boolean> {
  const { rows } = await pg.query<{ locked: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked`,
    [`idempotency ${id.apiKeyId} ${id.keyHash.toString('hex')}`],
  )
  return rows[0]?.locked === true
}

export async function findIdempotentReply<Reply>(
  pg: Database,
  { apiKeyId, keyHash, since }: IdempotencyId & { since: Date },
): Promise<{ bodyHash: Buffer; status: number; reply: Reply } | undefined> {
  const { rows } = await pg.query<{ bodyHash: Buffer; status: number; reply: Reply }>(
    `select body_hash as "bodyHash", status, reply from idempotency_keys
       where api_key_id = $1 and key_hash = $2 and created_at > $3`,
    [apiKeyId, keyHash, since],
  )
  return rows[0]
}

/** Replaces an expired reply of the same key. */
export async function addIdempotentReply(
  pg: Database,
  stored: IdempotencyId & {
    organizationId: string
    bodyHash: Buffer
    status: number
    reply: object
    now: Date
  },
): Promise<void> {
  const { organizationId, apiKeyId, keyHash, bodyHash, status, reply, now } = stored
  await pg.query(
    `insert into idempotency_keys (organization_id, api_key_id, key_hash, body_hash, status, reply, created_at)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (api_key_id, key_hash) do update
         set body_hash = excluded.body_hash, status = excluded.status, reply = excluded.reply,
           created_at = excluded.created_at`,
    [organizationId, apiKeyId, keyHash, bodyHash, status, JSON.stringify(reply), now],
  )
}

export async function deleteExpiredReplies(
  pg: Database,
  { before, rowsMax }: { before: Date; rowsMax: number },
): Promise<void> {
  await pg.query(
    `delete from idempotency_keys where (api_key_id, key_hash) in
       (select api_key_id, key_hash from idempotency_keys where created_at <= $1 order by created_at limit $2
          for update skip locked)`,
    [before, rowsMax],
  )
}
