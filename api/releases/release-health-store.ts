/**
 * Sessions of releases, from rows of single sessions in ClickHouse and sums of server SDKs in
 * Postgres. A session counts once, even if its rows are not merged yet, with its worst state.
 */
import { createHash } from 'node:crypto'
import type { ProjectId } from '#schemas/ids.ts'
import type { ClickHouse, Database } from '../database.ts'

export interface SessionLookup {
  readonly projectId: ProjectId
  /** Undefined for all releases together. */
  readonly versions: readonly string[] | undefined
  readonly environment: string | undefined
  readonly sinceMs: number
  readonly untilMs: number
  /** The width of a time bucket; undefined for one bucket. */
  readonly stepSeconds: number | undefined
}

export interface SessionSums {
  readonly sessions: number
  readonly users: number
  readonly crashedUsers: number
  readonly crashed: number
  readonly abnormal: number
  readonly unhandled: number
  /** Sessions with at least one error. */
  readonly erroredAny: number
  /** Undefined when unknown. */
  readonly durationMs:
    | { readonly mean: number; readonly p50: number; readonly p95: number }
    | undefined
}

export const noSessions: SessionSums = {
  sessions: 0,
  users: 0,
  crashedUsers: 0,
  crashed: 0,
  abnormal: 0,
  unhandled: 0,
  erroredAny: 0,
  durationMs: undefined,
}

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
  const sums = new Map(single)
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

interface SingleRow {
  readonly version: string
  readonly at: number
  readonly sessions: number
  readonly users: number
  readonly crashed_users: number
  readonly crashed: number
  readonly abnormal: number
  readonly unhandled: number
  readonly errored_any: number
  readonly timed: number
  readonly mean_ms: number | null
  readonly p50_ms: number | null
  readonly p95_ms: number | null
}

async function countSingle(
  clickhouse: ClickHouse,
  lookup: SessionLookup,
): Promise<[string, SessionSums][]> {
  const { projectId, versions, environment, sinceMs, untilMs, stepSeconds } = lookup
  const version = versions === undefined ? `''` : 'release'
  const bucket =
    stepSeconds === undefined ? '0' : 'intDiv(toUnixTimestamp(hour), {step:UInt32}) * {step:UInt32}'
  const rows = await clickhouse.select<SingleRow>(
    `select version, at, sum(counts) as sessions,
       uniqExactIf(who, who != 0) as users, uniqExactIf(who, who != 0 and state = 4) as crashed_users,
       sum(counts * (state = 4)) as crashed, sum(counts * (state = 3)) as abnormal,
       sum(counts * (state = 2)) as unhandled, sum(counts * has_errors) as errored_any,
       countIf(state = 1 and ms > 0) as timed,
       if(timed = 0, null, avgIf(ms, state = 1 and ms > 0)) as mean_ms,
       if(timed = 0, null, quantileIf(0.5)(ms, state = 1 and ms > 0)) as p50_ms,
       if(timed = 0, null, quantileIf(0.95)(ms, state = 1 and ms > 0)) as p95_ms
     from (
       select ${version} as version, toUInt32(${bucket}) as at, sid, max(status) as state, max(errored) as has_errors,
         max(weight) as counts, max(user_hash) as who, max(duration_ms) as ms
       from sessions
       where project_id = {project:UInt64}
         and hour >= fromUnixTimestamp({since:Int64}) and hour < fromUnixTimestamp({until:Int64})
         ${environment === undefined ? '' : 'and environment = {environment:String}'}
         ${versions === undefined ? '' : 'and lower(hex(MD5(release))) in (select arrayJoin({versions:Array(String)}))'}
       group by version, at, sid
     ) group by version, at`,
    {
      project: projectId,
      since: Math.floor(sinceMs / 1000),
      until: Math.ceil(untilMs / 1000),
      ...(environment === undefined ? {} : { environment }),
      ...(stepSeconds === undefined ? {} : { step: stepSeconds }),
      // Parameters are sent in the URL, which is too short for a hundred names.
      ...(versions === undefined ? {} : { versions: versions.map(md5) }),
    },
  )
  return rows.map((row) => [
    nameOf(row.version, row.at),
    {
      sessions: row.sessions,
      users: row.users,
      crashedUsers: row.crashed_users,
      crashed: row.crashed,
      abnormal: row.abnormal,
      unhandled: row.unhandled,
      erroredAny: row.errored_any,
      durationMs:
        row.timed === 0
          ? undefined
          : { mean: row.mean_ms ?? 0, p50: row.p50_ms ?? 0, p95: row.p95_ms ?? 0 },
    },
  ])
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

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}
