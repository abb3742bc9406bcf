/** The suppression list. 0015-contacts.sql defines how suppressing and lifting change contacts. */
import { v7 as uuidv7 } from 'uuid'
import { erasedKey } from '#platform/person-data/erased-key.ts'
import type { SuppressionCause } from '../contacts/address-store.ts'
import type { ChangeOrigin } from '../contacts/change-origin.ts'
import type { Database } from '../database.ts'

export interface ListedSuppression {
  readonly id: string
  readonly email: string | null
  readonly cause: SuppressionCause
  readonly source: string | null
  readonly suppressedAt: Date
  /** The same time with microseconds, for the cursor. */
  readonly suppressedText: string
  /** Reference of the email that the last counted bounce report is about. */
  readonly emailRef: string | null
}

/** Lists suppressions, newest first. */
export async function listSuppressions(
  pg: Database,
  list: {
    organizationId: string
    cause: SuppressionCause | undefined
    source: string | undefined
    query: string | undefined
    before: readonly [suppressedAt: string, id: string] | undefined
    rowsMax: number
  },
): Promise<ListedSuppression[]> {
  const { rows } = await pg.query<ListedSuppression>(
    `select a.id, a.email, a.suppression_cause as cause, a.suppression_source as source, a.suppressed_at as "suppressedAt",
         to_char(a.suppressed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "suppressedText",
         b.message_ref as "emailRef"
       from addresses a left join lateral (
         select message_ref from bounce_reports b where b.address_id = a.id and b.counted and message_ref is not null
           order by received_at desc limit 1
       ) b on a.suppression_cause <> 'manual'
       where a.organization_id = $1 and a.suppressed_at is not null
         and ($2::text is null or a.suppression_cause = $2)
         and ($3::text is null or strpos(a.email_key, lower($3)) > 0)
         and ($4::timestamptz is null or (a.suppressed_at, a.id) < ($4, $5::uuid))
         and ($7::text is null or a.suppression_source = $7)
       order by a.suppressed_at desc, a.id desc limit $6`,
    [
      list.organizationId,
      list.cause ?? null,
      list.query ?? null,
      list.before?.[0] ?? null,
      list.before?.[1] ?? null,
      list.rowsMax,
      list.source ?? null,
    ],
  )
  return rows
}

/** Returns false when the address is suppressed already. */
export async function suppressAddress(
  pg: Database,
  change: { addressId: string; source: string | null; via: ChangeOrigin; now: Date },
): Promise<boolean> {
  const { addressId, source, via, now } = change
  const { rows } = await pg.query<{ changed: boolean }>(
    `select suppress_address($1, 'manual', $2, $3, $4) as changed`,
    [addressId, source, via, now],
  )
  return rows[0]?.changed === true
}

export async function liftStoredSuppression(
  pg: Database,
  lift: { addressId: string; reason: string; via: ChangeOrigin; now: Date },
): Promise<void> {
  const { addressId, reason, via, now } = lift
  await pg.query('select lift_suppression($1, $2, $3, $4)', [addressId, reason, via, now])
}

/**
 * Suppresses addresses with different keys and returns how many were not suppressed before. Rows
 * are locked in the order of their ids.
 */
export async function suppressMany(
  pg: Database,
  change: {
    organizationId: string
    addresses: readonly { email: string; key: string }[]
    via: ChangeOrigin
    now: Date
  },
): Promise<number> {
  const { organizationId, addresses, via, now } = change
  const keys = addresses.map(({ key }) => key)
  const erased = keys.map((key) => erasedKey(organizationId, key))
  await pg.query(
    `insert into addresses (id, organization_id, email, email_key)
       select id, $1, email, key from unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) t (id, email, key, erased)
         where not exists (select from addresses a where a.organization_id = $1 and a.email_key = t.erased)
       on conflict do nothing`,
    [
      organizationId,
      addresses.map(() => uuidv7()),
      addresses.map(({ email }) => email),
      keys,
      erased,
    ],
  )
  const { rows } = await pg.query<{ count: number }>(
    `select count(*)::int as count from (
       select id from addresses where organization_id = $1 and email_key = any($2) and suppressed_at is null order by id
     ) a where suppress_address(a.id, 'manual', 'import', $3, $4)`,
    [organizationId, [...keys, ...erased], via, now],
  )
  return rows[0]?.count ?? 0
}

/** Counts the keys whose addresses are suppressed. */
export async function countSuppressed(
  pg: Database,
  { organizationId, keys }: { organizationId: string; keys: readonly string[] },
): Promise<number> {
  const { rows } = await pg.query<{ count: number }>(
    `select count(*)::int as count from addresses
       where organization_id = $1 and email_key = any($2) and suppressed_at is not null`,
    [organizationId, [...keys, ...keys.map((key) => erasedKey(organizationId, key))]],
  )
  return rows[0]?.count ?? 0
}

/** Selects suppressions by cause, source and time: `from` is inclusive, `to` exclusive. */
export interface SuppressionFilter {
  readonly organizationId: string
  readonly causes: readonly SuppressionCause[]
  readonly source: string | null
  readonly from: Date | null
  readonly to: Date
}

const filtered = `organization_id = $1 and suppressed_at is not null and suppression_cause = any($2)
  and ($3::text is null or suppression_source = $3) and ($4::timestamptz is null or $4 <= suppressed_at) and suppressed_at < $5`

function valuesOf({ organizationId, causes, source, from, to }: SuppressionFilter): unknown[] {
  return [organizationId, causes, source, from, to]
}

export async function countMatching(pg: Database, filter: SuppressionFilter): Promise<number> {
  const { rows } = await pg.query<{ count: number }>(
    `select count(*)::int as count from addresses where ${filtered}`,
    valuesOf(filter),
  )
  return rows[0]?.count ?? 0
}

/**
 * Lifts at most `most` suppressions and returns how many. Rows are locked in the order of their
 * ids.
 */
export async function liftMatching(
  pg: Database,
  filter: SuppressionFilter,
  lift: { reason: string; via: ChangeOrigin; now: Date; most: number },
): Promise<number> {
  const { rows } = await pg.query<{ count: number }>(
    `select count(*)::int as count from (
       select id from addresses where ${filtered} order by id limit $6 for update
     ) a where lift_suppression(a.id, $7, $8, $9)`,
    [...valuesOf(filter), lift.most, lift.reason, lift.via, lift.now],
  )
  return rows[0]?.count ?? 0
}
