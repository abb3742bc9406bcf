import type { PoolClient } from '#platform/postgres.ts'
import type { SessionSum } from '../release-health/parse-sessions.ts'

/** Part of the commit. In the order of the key, so that two commits never wait for each other. */
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
