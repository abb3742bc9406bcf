/**
 * The email addresses of an organization. A suppression belongs to the address, not to one contact.
 * Of an erased address only a hash stays, and only when it is suppressed: it matches when the same
 * address occurs again, but does not reveal it.
 */
import { v7 as uuidv7 } from 'uuid'
import { erasedKey } from '#platform/person-data/erased-key.ts'
import type { Database } from '../database.ts'

export type SuppressionCause = 'hard' | 'soft_run' | 'complaint' | 'manual'

export interface StoredAddress {
  readonly id: string
  readonly organizationId: string
  /** Null when the address was erased. */
  readonly email: string | null
  readonly key: string
  readonly suppressedAt: Date | null
  readonly suppressionCause: SuppressionCause | null
  readonly softRun: number
}

const columns = `id, organization_id as "organizationId", email, email_key as key, suppressed_at as "suppressedAt",
  suppression_cause as "suppressionCause", soft_run as "softRun"`

/** Finds or creates the row of an address and locks it until the caller's transaction ends. */
export async function ensureAddress(
  pg: Database,
  address: { organizationId: string; email: string; key: string },
): Promise<StoredAddress> {
  const { organizationId, email, key } = address
  const { rows } = await pg.query<StoredAddress>(
    `with erased as (
       select * from addresses where organization_id = $2 and email_key = $5 for update
     ), made as (
       insert into addresses (id, organization_id, email, email_key)
         select $1, $2, $3, $4 where not exists (select from erased)
         on conflict (organization_id, email_key) do update set email = addresses.email
         returning *
     )
     select ${columns} from erased union all select ${columns} from made`,
    [uuidv7(), organizationId, email, key, erasedKey(organizationId, key)],
  )
  return rows[0]!
}

export async function lockAddress(
  pg: Database,
  address: { organizationId: string; key: string },
): Promise<StoredAddress | undefined> {
  const { organizationId, key } = address
  const { rows } = await pg.query<StoredAddress>(
    `select ${columns} from addresses where organization_id = $1 and email_key in ($2, $3) for update`,
    [organizationId, key, erasedKey(organizationId, key)],
  )
  return rows[0]
}

export async function lockAddressById(
  pg: Database,
  id: string,
): Promise<StoredAddress | undefined> {
  const { rows } = await pg.query<StoredAddress>(
    `select ${columns} from addresses where id = $1 for update`,
    [id],
  )
  return rows[0]
}

/** Resets the count of consecutive soft bounces, after a proof that emails arrive. */
export async function endSoftRun(pg: Database, addressId: string): Promise<void> {
  await pg.query(
    `update addresses set soft_run = 0, soft_last_at = null where id = $1 and soft_run > 0 and suppressed_at is null`,
    [addressId],
  )
}
