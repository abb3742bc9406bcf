/**
 * Deletes the expired rows of one table as its policy says (schemas/retention/), in statements that
 * look at a bounded number of rows. Rows that another transaction has locked are left to the next
 * run, so the job waits for no commit.
 */
import type { Pool } from '#platform/postgres.ts'
import { type Age, daysOf, type RetentionDays, type RowExpiry } from '#schemas/retention/policy.ts'
import { deleteInBatches } from '../delete-in-batches.ts'
import { byIndexes } from './indexed-query-store.ts'
import { type SweepPosition, type SweptPage, sweep } from './sweep-position-store.ts'

const rowsPerPage = 5_000
const pagesMax = 200

export interface ExpiredRowsContext {
  readonly pg: Pool
  readonly now: Date
  readonly days: RetentionDays
  readonly signal: AbortSignal
}

/** Returns how many rows were deleted. The next run deletes what is left. */
export async function deleteExpiredRows(
  ctx: ExpiredRowsContext,
  table: string,
  expiry: RowExpiry,
): Promise<number> {
  const { pg, now, signal } = ctx
  if (!(await tableExists(pg, table))) return 0
  const { search } = expiry
  const values = limitsOf(expiry.age, ctx.days)
  if (search.by === 'walk') {
    const page = (after: SweepPosition | undefined, rowsMax: number) =>
      sweepPage(pg, walkSql(table, expiry, after !== undefined), [now, ...values, rowsMax], after)
    return sweep({ pg, name: table, rowsPerPage, pagesMax, signal, page })
  }
  const sql = batchSql(table, expiry)
  const batch = async (pool: Pool, { before, rowsMax }: { before: Date; rowsMax: number }) => {
    const deleted = [before, ...values, rowsMax]
    const { rowCount } = await byIndexes(pool, (client) => client.query(sql, deleted))
    return rowCount ?? 0
  }
  return deleteInBatches(batch, pg, now, signal)
}

async function tableExists(pg: Pool, table: string): Promise<boolean> {
  const { rows } = await pg.query<{ exists: boolean }>(
    'select to_regclass($1) is not null as exists',
    [table],
  )
  return rows[0]?.exists === true
}

async function sweepPage(
  pg: Pool,
  sql: string,
  values: readonly unknown[],
  after: SweepPosition | undefined,
): Promise<SweptPage> {
  const { rows } = await byIndexes(pg, (client) =>
    client.query<{ examined: number; expired: number; last: string[] | null }>(sql, [
      ...values,
      ...(after ?? []),
    ]),
  )
  const { examined = 0, expired = 0, last } = rows[0] ?? {}
  return { examined, expired, last: last ?? undefined }
}

/** $2 and $3 of every statement: days of the policy, and days of events of a project. */
function limitsOf(age: Age, days: RetentionDays): readonly [number, number] {
  const isOnlyOfProject = 'setting' in age && age.setting === 'events' && age.ofProject === true
  return [isOnlyOfProject ? 0 : daysOf(age, days), days.events]
}

/** A row expires when this is after its time. */
function limitSql(age: Age): string {
  const ofProject = `coalesce((owner.settings ->> 'retention_days')::int, $3::int)`
  // Both are numbers; the second one only belongs to projects.
  const limit =
    'ofProject' in age && age.ofProject
      ? `greatest($2::int, ${ofProject})`
      : 'coalesce($2::int, $3::int)'
  return `($1::timestamptz - ${limit} * interval '24 hours')`
}

const owners = {
  projects: { key: 'dsn_id', column: 'project_id' },
  organizations: { key: 'id', column: 'organization_id' },
} as const

/** The oldest expired rows: of the table, or of each owner. $4 is the maximum number of rows. */
export function batchSql(table: string, { search, age, from, only = 'true' }: RowExpiry): string {
  const oldest = (condition: string) =>
    `select row.ctid as at_row from ${table} row
     where ${condition}row.${from} < ${limitSql(age)} and ${only}
     order by row.${from} limit $4 for update skip locked`
  if (search.by !== 'owner') {
    return `delete from ${table} where ctid = any(array(${oldest('')}))`
  }
  const { key, column } = owners[search.owner]
  return `delete from ${table} where ctid = any(array(
    select at_row from ${search.owner} owner, lateral (
      ${oldest(`row.${column} = owner.${key} and `)}
    ) oldest limit $4
  ))`
}

/**
 * The next rows by primary key, of which the expired ones are deleted. $4 is the maximum number of
 * rows; the key of the last row that was looked at follows.
 */
export function walkSql(
  table: string,
  { search, age, from, only = 'true' }: RowExpiry,
  isLater: boolean,
): string {
  if (search.by !== 'walk') throw new TypeError(`${table} is not walked`)
  const names = Object.keys(search.key)
  const key = names.map((name) => `row.${name}`).join(', ')
  const after = Object.values(search.key).map((type, index) => `$${index + 5}::${type}`)
  return `with examined as materialized (
      select ${key}, row.ctid as at_row,
        coalesce(row.${from} < ${limitSql(age)} and ${only}, false) as is_expired
      from ${table} row ${isLater ? `where (${key}) > (${after.join(', ')})` : ''}
      order by ${key} limit $4
    ), gone as (
      delete from ${table} where ctid = any(array(
        select ctid from ${table}
        where ctid = any(array(select at_row from examined where is_expired)) for update skip locked
      )) returning 1
    )
    select (select count(*)::int from examined) as examined,
      (select count(*)::int from gone) as expired,
      (select array[${names.map((name) => `${name}::text`).join(', ')}] from examined
       order by ${names.map((name) => `${name} desc`).join(', ')} limit 1) as last`
}
