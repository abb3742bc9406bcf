/**
 * The mailboxes that an organization has met. A suppression belongs to the mailbox, not to a reader of one newsletter. Of an erased
 * one only a hash is left, and only when it is suppressed: whoever meets it again finds the suppression, not the person.
 */
import { createHash } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../database.ts'

export type SuppressionCause = 'hard' | 'soft_run' | 'complaint' | 'manual'

export interface StoredAddress {
  readonly id: string
  readonly organizationId: string
  /** Null: erased. */
  readonly email: string | null
  readonly key: string
  readonly suppressedAt: Date | null
  readonly suppressionCause: SuppressionCause | null
  readonly softRun: number
}

const columns = `id, organization_id as "organizationId", email, email_key as key, suppressed_at as "suppressedAt",
  suppression_cause as "suppressionCause", soft_run as "softRun"`

/** What stands for an erased address; the organization's id keeps two of them from comparing their lists. */
export function erasedKey(organizationId: string, key: string): string {
  return `sha256:${createHash('sha256').update(`${organizationId} ${key}`).digest('hex')}`
}

/** The row of the address, made when there is none; locked until the caller's transaction ends. */
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

/** Proof that letters arrive there ends a run of soft bounces. */
export async function endSoftRun(pg: Database, addressId: string): Promise<void> {
  await pg.query(
    `update addresses set soft_run = 0, soft_last_at = null where id = $1 and soft_run > 0 and suppressed_at is null`,
    [addressId],
  )
}
