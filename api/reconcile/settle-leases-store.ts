/**
 * Settles the leases of a restored Postgres. Ingest instances hold leases that it does not have,
 * and it may grant their numbers again: so all leases are settled, the units that no worker has
 * seen are returned, and further numbers are far beyond those that were lost.
 * A record that was charged to a settled or unknown lease is charged when it is digested.
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { inTransaction, type Pool, type PoolClient } from '#platform/postgres.ts'

/** More leases than are granted between a backup and its restore; numbers have 48 bits. */
const lostLeasesMax = 1_000_000_000

/** May be repeated: it settles what was granted meanwhile. Returns the number of leases. */
export async function settleAllLeases(pg: Pool): Promise<number> {
  // Not part of the transaction: from here on no number is given twice.
  await pg.query(
    `select setval(pg_get_serial_sequence('quota_leases', 'lease_no'),
       nextval(pg_get_serial_sequence('quota_leases', 'lease_no')) + $1)`,
    [lostLeasesMax],
  )
  return inTransaction(pg, settleLeases)
}

export async function settleLeases(client: PoolClient): Promise<number> {
  await client.query(
    `select from quota_leases where state <> 'settled' order by lease_no for update`,
  )
  await client.query(
    `select from quota_usage where (project_id, period) in (
       select project_id, period from quota_leases where state <> 'settled'
     ) order by project_id, period for update`,
  )
  const { rowCount } = await client.query(
    `with settled as (
       update quota_leases set state = 'settled' where state <> 'settled'
       returning project_id, period, units, seen
     ), rest as (
       select project_id, period, sum(units - seen) as units from settled group by 1, 2
     ), returned as (
       update quota_usage set used = greatest(0, used - rest.units) from rest
       where quota_usage.project_id = rest.project_id and quota_usage.period = rest.period
     )
     select from settled`,
  )
  return rowCount ?? 0
}

/** Numbers of projects and DSN keys that rows have are not given to others. */
export async function skipUsedNumbers(pg: Pool, clickhouse: ClickHouseClient): Promise<void> {
  const result = await clickhouse.query({
    query: `select toFloat64(max(project_id)) as project, toFloat64(max(dsn_key_no)) as key from (
        select max(project_id) as project_id, max(dsn_key_no) as dsn_key_no from events
        union all select max(project_id), max(dsn_key_no) from outcomes)`,
    format: 'JSONEachRow',
  })
  const [used] = await result.json<{ project: number; key: number }>()
  if (used === undefined) return
  const skip = (table: string, column: string, number: number) =>
    pg.query(
      `select setval(pg_get_serial_sequence($1, $2),
         greatest($3::bigint, nextval(pg_get_serial_sequence($1, $2))))`,
      [table, column, number],
    )
  await skip('projects', 'dsn_id', used.project)
  await skip('dsn_keys', 'key_no', used.key)
}
