import type { Pool, PoolClient } from '#platform/postgres.ts'
import { deleteInBatches } from '../delete-in-batches.ts'
import type { SessionSum } from './parse-sessions.ts'

/** Adds sums in the order of the key, so that two concurrent commits cannot deadlock. */
export async function addSessionSums(
  client: PoolClient,
  sums: readonly SessionSum[],
): Promise<void> {
  await client.query(
    `insert into release_health_counts as counts
       (project_id, release, environment, hour, exited, errored, unhandled, abnormal, crashed)
     select project_id, release, environment, to_timestamp(hour), exited, errored, unhandled, abnormal, crashed
     from unnest($1::bigint[], $2::text[], $3::text[], $4::float8[], $5::bigint[], $6::bigint[], $7::bigint[],
       $8::bigint[], $9::bigint[])
       as sum (project_id, release, environment, hour, exited, errored, unhandled, abnormal, crashed)
     order by project_id, release, environment, hour
     on conflict (project_id, release, environment, hour) do update set
       exited = counts.exited + excluded.exited,
       errored = counts.errored + excluded.errored,
       unhandled = counts.unhandled + excluded.unhandled,
       abnormal = counts.abnormal + excluded.abnormal,
       crashed = counts.crashed + excluded.crashed`,
    [
      sums.map(({ projectId }) => projectId),
      sums.map(({ release }) => release),
      sums.map(({ environment }) => environment),
      sums.map(({ hourSecond }) => hourSecond),
      sums.map(({ exited }) => exited),
      sums.map(({ errored }) => errored),
      sums.map(({ unhandled }) => unhandled),
      sums.map(({ abnormal }) => abnormal),
      sums.map(({ crashed }) => crashed),
    ],
  )
}

/**
 * Deletes counts that are older than the retention of their project, in bounded batches. The next
 * call deletes what is left.
 * @param retentionDays of projects that have not set their own.
 * @returns the number of deleted rows.
 */
export function expireSessionSums(
  pg: Pool,
  {
    now,
    retentionDays,
    signal,
  }: { readonly now: Date; readonly retentionDays: number; readonly signal?: AbortSignal },
): Promise<number> {
  const expire = async (pool: Pool, { before, rowsMax }: { before: Date; rowsMax: number }) => {
    const { rowCount } = await pool.query(
      `delete from release_health_counts where ctid = any(array(
         select counts.row from projects, lateral (
           select ctid as row from release_health_counts
           where project_id = projects.dsn_id and hour <
             $1::timestamptz - make_interval(days => coalesce((settings ->> 'retention_days')::int, $3))
           order by hour limit $2 for update skip locked
         ) counts limit $2
       ))`,
      [before, rowsMax, retentionDays],
    )
    return rowCount ?? 0
  }
  return deleteInBatches(expire, pg, now, signal)
}
