/**
 * Days of which sessions were stored after their sums were made. The commit of a range reports
 * them, after its rows are in ClickHouse, and the sums are made again (`roll-session-days.ts`).
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Pool, PoolClient } from '#platform/postgres.ts'
import { closedAfterSeconds, daySeconds } from '#schemas/releases/session-days.ts'
import type { SessionRelease } from '../session-tally.ts'

/** Days that are closed within this time are reported too, should a clock have been set back. */
const marginSeconds = 3_600

/**
 * Reports the days of sessions that are closed. The time is that of Postgres, by which the task
 * decides, and is later than the insert of the rows.
 */
export async function reportLateSessions(
  client: PoolClient,
  releases: readonly SessionRelease[],
): Promise<void> {
  // In the order of the key, so that two concurrent commits cannot deadlock.
  await client.query(
    `insert into stale_session_days (project_id, day)
     select distinct project_id, day
     from unnest($1::bigint[], $2::float8[], $3::float8[]) as late (project_id, first, last),
       lateral (select date '1970-01-01' + number as day from generate_series(
         floor(first / $4)::int,
         floor(least(last, extract(epoch from now())::float8 - $5) / $4)::int) as number) as days
     order by project_id, day
     on conflict (project_id, day) do update set change = excluded.change`,
    [
      releases.map(({ projectId }) => projectId),
      releases.map(({ firstSecond }) => firstSecond),
      releases.map(({ lastSecond }) => lastSecond),
      daySeconds,
      daySeconds + closedAfterSeconds - marginSeconds,
    ],
  )
}

export interface StaleDay {
  readonly projectId: number
  /** Days since 1970. */
  readonly day: number
  /** Another one after every report. */
  readonly change: string
}

/** The earliest day that ended before, and some of its projects. */
export async function readStaleDays(
  pg: Pick<Pool | PoolClient, 'query'>,
  { closedDay, rowsMax }: { readonly closedDay: number; readonly rowsMax: number },
): Promise<StaleDay[]> {
  const { rows } = await pg.query<StaleDay>(
    `select project_id as "projectId", (day - date '1970-01-01')::int as day, change
     from stale_session_days
     where day <= date '1970-01-01' + $1::int
     order by day, project_id limit $2`,
    [closedDay, rowsMax],
  )
  return rows
}

/** Leaves days that were reported again meanwhile. */
export async function forgetStaleDays(
  client: Pick<PoolClient, 'query'>,
  days: readonly StaleDay[],
): Promise<void> {
  await client.query(
    `delete from stale_session_days where (project_id, day, change) in (
       select project_id, date '1970-01-01' + day, change
       from unnest($1::bigint[], $2::int[], $3::uuid[]) as done (project_id, day, change))`,
    [
      days.map(({ projectId }) => projectId),
      days.map(({ day }) => day),
      days.map(({ change }) => change),
    ],
  )
}

/**
 * Begins to delete the sums of days of a project, in the transaction that reports them, so that
 * they are made again.
 */
export async function forgetDays(
  client: Pick<PoolClient, 'query'>,
  clickhouse: ClickHouseClient,
  { projectId, days }: { readonly projectId: number; readonly days: readonly number[] },
): Promise<void> {
  await client.query(
    `insert into stale_session_days (project_id, day)
     select dsn_id, date '1970-01-01' + day from projects, unnest($2::int[]) as day where dsn_id = $1
     order by day
     on conflict (project_id, day) do update set change = excluded.change`,
    [projectId, days],
  )
  await clickhouse.command({
    query: `alter table session_days
      delete where project_id = ${projectId} and toUInt32(day) in (${days.join(', ')})`,
    clickhouse_settings: { mutations_sync: '0' },
  })
}
