/**
 * Sessions of releases, from single sessions in ClickHouse and sums of server SDKs in Postgres. A
 * session counts once, even if its rows are not merged yet, with its worst state.
 */
import type { ClickHouse, Database } from '../database.ts'
import { noSessions, type SessionLookup, type SessionSums } from './session-sums.ts'
import { countSingle } from './single-sessions-store.ts'

/**
 * Keyed by version (empty for all together) and start of the bucket in seconds (0 without buckets).
 */
export type SessionsOf = (version: string, bucketSecond?: number) => SessionSums

export async function readSessions(
  { clickhouse, pg }: { readonly clickhouse: ClickHouse; readonly pg: Database },
  lookup: SessionLookup,
): Promise<SessionsOf> {
  const [single, counted] = await Promise.all([
    countSingle(clickhouse, lookup),
    readCounts(pg, lookup),
  ])
  const sums = new Map(single.map((one) => [nameOf(one.version, one.at), one.sums]))
  for (const [name, more] of counted) {
    const before = sums.get(name) ?? noSessions
    sums.set(name, {
      ...before,
      sessions: before.sessions + more.sessions,
      crashed: before.crashed + more.crashed,
      abnormal: before.abnormal + more.abnormal,
      unhandled: before.unhandled + more.unhandled,
      erroredAny: before.erroredAny + more.erroredAny,
    })
  }
  return (version, bucketSecond = 0) => sums.get(nameOf(version, bucketSecond)) ?? noSessions
}

interface CountedRow {
  readonly version: string
  readonly at: number
  readonly sessions: number
  readonly crashed: number
  readonly abnormal: number
  readonly unhandled: number
  readonly errored_any: number
}

async function readCounts(
  pg: Database,
  lookup: SessionLookup,
): Promise<[string, Omit<SessionSums, 'users' | 'crashedUsers' | 'durationMs'>][]> {
  const { rows } = await pg.query<CountedRow>(
    `select case when $2::text[] is null then '' else release end as version,
       case when $6::float8 is null then 0 else floor(extract(epoch from hour) / $6) * $6 end::float8 as at,
       sum(exited + errored + unhandled + abnormal + crashed)::float8 as sessions,
       sum(crashed)::float8 as crashed, sum(abnormal)::float8 as abnormal, sum(unhandled)::float8 as unhandled,
       sum(errored + unhandled + abnormal + crashed)::float8 as errored_any
     from release_health_counts
     where project_id = $1 and ($2::text[] is null or release = any($2)) and ($3::text is null or environment = $3)
       and hour >= to_timestamp($4) and hour < to_timestamp($5)
     group by 1, 2`,
    [
      lookup.projectId,
      lookup.versions ?? null,
      lookup.environment ?? null,
      Math.floor(lookup.sinceMs / 1000),
      Math.ceil(lookup.untilMs / 1000),
      lookup.stepSeconds ?? null,
    ],
  )
  return rows.map(({ version, at, errored_any: erroredAny, ...sums }) => [
    nameOf(version, at),
    { ...sums, erroredAny },
  ])
}

function nameOf(version: string, bucketSecond: number): string {
  return `${bucketSecond} ${version}`
}
