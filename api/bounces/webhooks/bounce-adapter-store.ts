import { createHash } from 'node:crypto'
import type { BounceAdapterName } from '#schemas/mail/bounce-adapter.ts'
import type { Database } from '../../database.ts'

/** Purpose of the SecretBox for settings of adapters; the place is the id of the adapter. */
export const adapterPurpose = 'bounce adapter'

export interface StoredAdapter {
  readonly id: string
  readonly organizationId: string
  readonly adapter: BounceAdapterName
  readonly label: string
  readonly sealedSettings: Buffer
  readonly lastUsedAt: Date | null
  readonly createdAt: Date
}

const columns = `id, organization_id as "organizationId", adapter, label, sealed_settings as "sealedSettings",
  last_used_at as "lastUsedAt", created_at as "createdAt"`

export async function addBounceAdapter(
  pg: Database,
  added: Omit<StoredAdapter, 'lastUsedAt' | 'createdAt'> & { secretHash: Buffer },
): Promise<StoredAdapter> {
  const { rows } = await pg.query<StoredAdapter>(
    `insert into bounce_adapters (id, organization_id, adapter, label, secret_hash, sealed_settings)
       values ($1, $2, $3, $4, $5, $6) returning ${columns}`,
    [
      added.id,
      added.organizationId,
      added.adapter,
      added.label,
      added.secretHash,
      added.sealedSettings,
    ],
  )
  return rows[0]!
}

export async function countBounceAdapters(pg: Database, organizationId: string): Promise<number> {
  const { rows } = await pg.query<{ count: number }>(
    'select count(*)::int as count from bounce_adapters where organization_id = $1',
    [organizationId],
  )
  return rows[0]?.count ?? 0
}

export async function listBounceAdapters(
  pg: Database,
  organizationId: string,
): Promise<StoredAdapter[]> {
  const { rows } = await pg.query<StoredAdapter>(
    `select ${columns} from bounce_adapters where organization_id = $1 order by id`,
    [organizationId],
  )
  return rows
}

export async function deleteBounceAdapter(
  pg: Database,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<Pick<StoredAdapter, 'adapter'> | undefined> {
  const { rows } = await pg.query<Pick<StoredAdapter, 'adapter'>>(
    'delete from bounce_adapters where organization_id = $1 and id = $2 returning adapter',
    [organizationId, id],
  )
  return rows[0]
}

export async function findBounceAdapter(
  pg: Database,
  { adapter, secretHash }: { adapter: string; secretHash: Buffer },
): Promise<StoredAdapter | undefined> {
  const { rows } = await pg.query<StoredAdapter>(
    `select ${columns} from bounce_adapters where secret_hash = $1 and adapter = $2`,
    [secretHash, adapter],
  )
  return rows[0]
}

/** At most once a minute: a provider may send several a second. */
export async function noteAdapterUse(
  pg: Database,
  { id, now }: { id: string; now: Date },
): Promise<void> {
  await pg.query(
    `update bounce_adapters set last_used_at = $2
       where id = $1 and (last_used_at is null or last_used_at < $2::timestamptz - interval '1 minute')`,
    [id, now],
  )
}

interface AdapterToken {
  readonly adapterId: string
  readonly token: string
  readonly now: Date
}

/** Spent tokens are rows of `rate_windows`, each with room for a single hit. */
export async function isTokenNew(pg: Database, token: AdapterToken): Promise<boolean> {
  const { rows } = await pg.query(
    `select from rate_windows where bucket = $1 and expires_at > $2`,
    [bucketOf(token), token.now],
  )
  return rows.length === 0
}

export async function spendToken(
  pg: Database,
  token: AdapterToken & { keptMs: number },
): Promise<void> {
  await pg.query(
    `insert into rate_windows values ($1, array[$2::timestamptz], $3) on conflict do nothing`,
    [bucketOf(token), token.now, new Date(token.now.getTime() + token.keptMs)],
  )
}

function bucketOf({ adapterId, token }: AdapterToken): string {
  return `token:${adapterId}:${createHash('sha256').update(token).digest('hex')}`
}
