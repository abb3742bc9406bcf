/**
 * Counts single sessions: those of summed days from `session_days`, all others from `sessions`. The
 * workers sum days while this reads, so the versions to use are read first, and the second query
 * says whether it found each of them: it reads a row that completes the version in the same scan as
 * the sums.
 */
import { createHash } from 'node:crypto'
import {
  daySeconds,
  distinctUsers,
  durationQuantiles,
  hourSeconds,
} from '#schemas/releases/session-days.ts'
import type { ClickHouse } from '../database.ts'
import type { SessionLookup, SessionSums } from './session-sums.ts'
import { hoursOf, outside, type Span, type SummedDay, wholeDays } from './summed-days.ts'

/** After as many changes of the sums during a request all sessions are read. */
const attemptsMax = 3

export interface SingleSessions {
  /** Empty for all versions together. */
  readonly version: string
  /** Start of the bucket in seconds; 0 without buckets. */
  readonly at: number
  readonly sums: SessionSums
}

export async function countSingle(
  clickhouse: ClickHouse,
  lookup: SessionLookup,
): Promise<SingleSessions[]> {
  const period = hoursOf(lookup)
  if (period.until <= period.since) return []
  for (let attempt = 1; attempt <= attemptsMax && lookup.isRecent !== true; attempt += 1) {
    const summed = await findSummedDays(clickhouse, lookup, period)
    if (summed.length === 0) break
    const rows = await select(clickhouse, lookup, summedSql(lookup, period, summed))
    const found = rows.find(({ is_completing }) => is_completing === 1)?.days ?? 0
    const isWhole = found === summed.length
    if (isWhole) return rows.filter((row) => row.is_completing === 0).map(sessionsOf)
  }
  return (await select(clickhouse, lookup, openSql(lookup, period))).map(sessionsOf)
}

async function findSummedDays(
  clickhouse: ClickHouse,
  { projectId }: SessionLookup,
  period: Span,
): Promise<SummedDay[]> {
  return clickhouse.select<SummedDay>(
    `select toUInt32(made.day) as day, max(made.version) as version from session_days as made
     where project_id = {project:UInt64} and width = 0
       and made.day >= toDate({first:UInt32}) and made.day <= toDate({last:UInt32})
     group by made.day order by made.day`,
    {
      project: projectId,
      first: dayNumber(period.since),
      last: dayNumber(period.until - 1),
    },
  )
}

interface Row {
  /** 1 for the one row that counts the days that were found. */
  readonly is_completing: number
  readonly days: number
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

function select(clickhouse: ClickHouse, lookup: SessionLookup, sql: string): Promise<Row[]> {
  const { projectId, versions, environment, stepSeconds } = lookup
  return clickhouse.select<Row>(sql, {
    project: projectId,
    ...(environment === undefined ? {} : { environment }),
    ...(stepSeconds === undefined ? {} : { step: stepSeconds }),
    // Parameters are sent in the URL, which is too short for a hundred names.
    ...(versions === undefined ? {} : { versions: versions.map(md5) }),
  })
}

/** Without sums. Users and shares of durations are exact up to a few thousand sessions. */
function openSql(lookup: SessionLookup, period: Span): string {
  return `select toUInt8(0) as is_completing, 0 as days, version, at, sum(counts) as sessions,
       ${stateCounts},
       ${lookup.countsOnly === true ? noDetails : exactDetails}
     from (${eachSession(lookup, [period])}) group by version, at`
}

/** From sums of days, and from sessions of the other hours of the period. */
function summedSql(lookup: SessionLookup, period: Span, summed: readonly SummedDay[]): string {
  const spans = outside(period, summed)
  const isShort = lookup.countsOnly === true
  const open = `select toUInt8(0) as is_completing, toUInt64(0) as days, version, at,
       sum(counts) as sessions, ${stateCounts},
       ${isShort ? noStates : sessionStates}
     from (${eachSession(lookup, spans)}) group by version, at`
  const whole = wholeDays(period, lookup.stepSeconds)
  const versions = summed.map(({ day, version }) => `(${day}, ${version})`).join(', ')
  const first = summed[0]!.day
  const last = summed.at(-1)!.day
  const sums = `select toUInt8(width = 0) as is_completing, countIf(width = 0) as days,
       if(is_completing = 1, '', ${versionOf(lookup)}) as version,
       if(is_completing = 1, 0, toUInt32(${bucketOf(lookup, 'start')})) as at,
       sum(made.sessions) as sessions, sum(made.crashed) as crashed,
       sum(made.abnormal) as abnormal, sum(made.unhandled) as unhandled,
       sum(made.errored) as errored_any,
       ${isShort ? noStates : summedStates}
     from session_days as made
     where project_id = {project:UInt64} and day >= toDate(${first}) and day <= toDate(${last})
       and (toUInt32(day), made.version) in (${versions})
       and (width = 0 or (${namedBy(lookup)} and (
         (width = ${daySeconds} and ${within('start', whole)})
         or (width = ${hourSeconds} and ${within('start', period)} and not ${within('start', whole)})
       )))
     group by is_completing, version, at`
  return `select is_completing, sum(part.days) as days, version, at, sum(part.sessions) as sessions,
       sum(part.crashed) as crashed, sum(part.abnormal) as abnormal, sum(part.unhandled) as unhandled,
       sum(part.errored_any) as errored_any,
       ${isShort ? noDetails : mergedDetails}
     from (${spans.length === 0 ? sums : `${open} union all ${sums}`}) as part
     group by is_completing, version, at`
}

const stateCounts = `sum(counts * (state = 4)) as crashed, sum(counts * (state = 3)) as abnormal,
       sum(counts * (state = 2)) as unhandled, sum(counts * has_errors) as errored_any`

const isTimed = 'state = 1 and ms > 0'

const exactDetails = `uniqExactIf(who, who != 0) as users,
       uniqExactIf(who, who != 0 and state = 4) as crashed_users,
       countIf(${isTimed}) as timed,
       if(timed = 0, null, avgIf(ms, ${isTimed})) as mean_ms,
       if(timed = 0, null, quantileIf(0.5)(ms, ${isTimed})) as p50_ms,
       if(timed = 0, null, quantileIf(0.95)(ms, ${isTimed})) as p95_ms`

const sessionStates = `countIf(${isTimed}) as timed, sumIf(ms, ${isTimed}) as total_ms,
       ${call(distinctUsers, 'StateIf')}(who, who != 0) as user_state,
       ${call(distinctUsers, 'StateIf')}(who, who != 0 and state = 4) as crashed_state,
       ${call(durationQuantiles, 'StateIf')}(ms, ${isTimed}) as duration_state`

const summedStates = `sum(made.timed) as timed, sum(made.duration_ms) as total_ms,
       ${call(distinctUsers, 'MergeState')}(made.users) as user_state,
       ${call(distinctUsers, 'MergeState')}(made.crashed_users) as crashed_state,
       ${call(durationQuantiles, 'MergeState')}(made.durations) as duration_state`

const mergedDetails = `${call(distinctUsers, 'Merge')}(user_state) as users,
       ${call(distinctUsers, 'Merge')}(crashed_state) as crashed_users,
       sum(part.timed) as timed, if(timed = 0, null, sum(part.total_ms) / timed) as mean_ms,
       ${call(durationQuantiles, 'Merge')}(duration_state) as quantiles,
       if(timed = 0, null, quantiles[1]) as p50_ms, if(timed = 0, null, quantiles[2]) as p95_ms`

const noStates = '0 as timed'
const noDetails =
  '0 as users, 0 as crashed_users, 0 as timed, null as mean_ms, null as p50_ms, null as p95_ms'

/** One row for each session of the spans. */
function eachSession(lookup: SessionLookup, spans: readonly Span[]): string {
  return `select ${versionOf(lookup)} as version, toUInt32(${bucketOf(lookup, 'hour')}) as at, sid,
         max(status) as state, max(errored) as has_errors, max(weight) as counts,
         max(user_hash) as who, max(duration_ms) as ms
       from sessions
       where project_id = {project:UInt64}
         and (${spans.map((span) => within('hour', span)).join(' or ')}) and ${namedBy(lookup)}
       group by version, at, sid`
}

function versionOf({ versions }: SessionLookup): string {
  return versions === undefined ? `''` : 'release'
}

function bucketOf({ stepSeconds }: SessionLookup, column: string): string {
  return stepSeconds === undefined
    ? '0'
    : `intDiv(toUnixTimestamp(${column}), {step:UInt32}) * {step:UInt32}`
}

function namedBy({ environment, versions }: SessionLookup): string {
  const conditions = [
    environment === undefined ? [] : ['environment = {environment:String}'],
    versions === undefined
      ? []
      : ['lower(hex(MD5(release))) in (select arrayJoin({versions:Array(String)}))'],
  ].flat()
  return conditions.length === 0 ? '1' : conditions.join(' and ')
}

function within(column: string, { since, until }: Span): string {
  const time = (second: number) => `fromUnixTimestamp(toInt64(${second}))`
  return `(${column} >= ${time(since)} and ${column} < ${time(until)})`
}

function call(of: { readonly name: string; readonly arguments: string }, suffix: string): string {
  return `${of.name}${suffix}${of.arguments}`
}

function sessionsOf(row: Row): SingleSessions {
  return {
    version: row.version,
    at: row.at,
    sums: {
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
  }
}

function dayNumber(second: number): number {
  // The range of the type Date; toDate takes larger numbers for seconds.
  return Math.min(65_535, Math.max(0, Math.floor(second / daySeconds)))
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}
