/**
 * Deletes addresses to which nothing refers any more. An email refers to its address and would be
 * deleted with it, so the addresses are locked first: after that nothing new can refer to them, and
 * the statement that follows sees everything that does.
 */
import type { Pool, PoolClient } from '#platform/postgres.ts'
import { byIndexes } from './indexed-query-store.ts'
import { type SweepPosition, type SweptPage, sweep } from './sweep-position-store.ts'

const dayMs = 86_400_000
const rowsPerPage = 2_000
const pagesMax = 200

const isUnused = `a.suppressed_at is null
  and coalesce(greatest(a.last_sent_at, a.created_at), a.created_at) < $1
  and not exists (select from contacts c where c.address_id = a.id)
  and not exists (select from sends s where s.address_id = a.id)
  and not exists (select from bounce_reports b where b.address_id = a.id)
  and not exists (select from data_requests d where d.address_id = a.id)`

/** Returns how many addresses were deleted. */
export function expireAddresses(
  pg: Pool,
  { now, days, signal }: { now: Date; days: number; signal: AbortSignal },
): Promise<number> {
  const before = new Date(now.getTime() - days * dayMs)
  const page = (after: SweepPosition | undefined, rowsMax: number) =>
    expireAddressPage(pg, before, { after, rowsMax })
  return sweep({ pg, name: 'addresses', rowsPerPage, pagesMax, signal, page })
}

function expireAddressPage(
  pg: Pool,
  before: Date,
  { after, rowsMax }: { after: SweepPosition | undefined; rowsMax: number },
): Promise<SweptPage> {
  return byIndexes(pg, async (client) => {
    const { rows } = await client.query<{ id: string; is_unused: boolean }>(
      `select a.id, ${isUnused} as is_unused
       from (select * from addresses where $2::uuid is null or id > $2 order by id limit $3) a
       order by a.id`,
      [before, after?.[0] ?? null, rowsMax],
    )
    const unused = rows.filter(({ is_unused }) => is_unused).map(({ id }) => id)
    const expired = unused.length === 0 ? 0 : await deleteUnused(client, unused, before)
    const last = rows.at(-1)
    return { examined: rows.length, expired, last: last && [last.id] }
  })
}

async function deleteUnused(client: PoolClient, ids: readonly string[], before: Date) {
  const locked = await lockAddresses(client, ids)
  const { rows } = await client.query<{ id: string; is_unused: boolean }>(
    `select a.id, ${isUnused} as is_unused from addresses a where a.id = any($2::uuid[])`,
    [before, locked],
  )
  const { rowCount } = await client.query('delete from addresses where id = any($1::uuid[])', [
    rows.filter(({ is_unused }) => is_unused).map(({ id }) => id),
  ])
  return rowCount ?? 0
}

/** Locks those of the addresses that nobody uses now. Until the end nothing can refer to them. */
export async function lockAddresses(
  client: PoolClient,
  ids: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string }>(
    'select id from addresses where id = any($1::uuid[]) order by id for update skip locked',
    [ids],
  )
  return rows.map(({ id }) => id)
}
