/** Makes the sums of days in `session_days` from the rows of `sessions`. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import {
  daySeconds,
  distinctUsers,
  durationQuantiles,
  hourSeconds,
} from '#schemas/releases/session-days.ts'
import { select } from '../../removals/clickhouse-mutation-store.ts'

/** The project whose day says that all projects of the day have been looked at. */
const allProjects = 0
/** Longer than any project keeps its sessions. */
const completeDaysMax = 3_660

/** All rows of a day become visible at once: they are one block, and so one part. */
const oneBlock = {
  max_threads: 1,
  max_insert_threads: '1',
  min_insert_block_size_rows: '100000000',
  min_insert_block_size_bytes: '100000000000',
  // Rows of one session lie together in the table, so they are merged without a hash table.
  optimize_aggregation_in_order: 1,
  max_execution_time: 25,
} as const

export interface ProjectSessions {
  readonly projectId: number
  readonly rows: number
  /** Pairs of a release and an environment; about. */
  readonly names: number
  /** The highest version of the day; 0 without one. */
  readonly version: number
}

/** Days since 1970 that no run has completed, up to the given one, earliest first. */
export async function listOpenDays(
  clickhouse: ClickHouseClient,
  closedDay: number,
): Promise<number[]> {
  const [earliest] = await select<{ day: number; rows: number }>(
    clickhouse,
    'select toUInt32(toDate(min(hour))) as day, count() as rows from sessions',
  )
  if (earliest === undefined || earliest.rows === 0) return []
  const complete = await select<{ day: number }>(
    clickhouse,
    `select distinct toUInt32(made.day) as day from session_days as made where project_id = ${allProjects}`,
  )
  const known = new Set(complete.map(({ day }) => day))
  const first = Math.max(earliest.day, closedDay - completeDaysMax)
  const days = Array.from({ length: Math.max(0, closedDay - first + 1) }, (_, at) => first + at)
  return days.filter((day) => !known.has(day))
}

/** The projects that have sessions of a day; all of them, or some. */
export async function listProjects(
  clickhouse: ClickHouseClient,
  day: number,
  some?: readonly number[],
): Promise<ProjectSessions[]> {
  return select<ProjectSessions>(
    clickhouse,
    `select project_id as projectId, rows, names, version
     from (
       select project_id, count() as rows, uniq(release, environment) as names from sessions
       where ${inDay(day)} ${some === undefined ? '' : `and ${inProjects(some)}`}
       group by project_id
     ) as found
     left join (
       select project_id, max(version) as version from session_days
       where day = ${dateOf(day)} and width = 0 group by project_id
     ) as made using (project_id)
     order by project_id`,
  )
}

/** Inserts a version of the day of some projects. */
export async function insertDay(
  clickhouse: ClickHouseClient,
  { day, projectIds, version }: DayVersion,
): Promise<void> {
  await clickhouse.command({
    query: `insert into session_days
        (project_id, day, version, width, start, release, environment, sessions, crashed, abnormal,
         unhandled, errored, timed, duration_ms, users, crashed_users, durations, retention_days)
      select number, ${dateOf(day)}, ${version}, part, at, version_name, place,
        sum(counts), sum(counts * (state = 4)), sum(counts * (state = 3)), sum(counts * (state = 2)),
        sum(counts * has_errors), countIf(state = 1 and ms > 0), sumIf(ms, state = 1 and ms > 0),
        ${stateIf(distinctUsers)}(who, who != 0 and part != 0),
        ${stateIf(distinctUsers)}(who, who != 0 and state = 4 and part != 0),
        ${stateIf(durationQuantiles)}(ms, state = 1 and ms > 0 and part != 0),
        max(kept) + multiIf(part = 0, 2, part = ${daySeconds}, 1, 0)
      from (
        select number, counts, has_errors, state, who, ms, kept,
          arrayJoin([0, ${hourSeconds}, ${daySeconds}]) as part,
          if(part = ${hourSeconds}, began, ${timeOf(day)}) as at,
          if(part = 0, '', named) as version_name, if(part = 0, '', placed) as place
        from (
          select project_id as number, hour as began, release as named, environment as placed,
            max(status) as state, max(errored) as has_errors, max(weight) as counts,
            max(user_hash) as who, max(duration_ms) as ms, max(retention_days) as kept
          from sessions where ${inDay(day)} and ${inProjects(projectIds)}
          group by project_id, hour, release, environment, sid
        )
      ) group by number, part, at, version_name, place`,
    clickhouse_settings: oneBlock,
  })
}

export interface DayVersion {
  /** Days since 1970. */
  readonly day: number
  readonly projectIds: readonly number[]
  readonly version: number
}

/** Deletes earlier versions. The mutation goes on after this call. */
export async function deleteVersionsBefore(
  clickhouse: ClickHouseClient,
  { day, projectIds, version }: DayVersion,
): Promise<void> {
  await clickhouse.command({
    query: `alter table session_days
      delete where day = ${dateOf(day)} and ${inProjects(projectIds)} and version < ${version}`,
    clickhouse_settings: { mutations_sync: '0' },
  })
}

/** @param version another one at each call, or ClickHouse takes the row for a repeated insert. */
export async function completeDay(
  clickhouse: ClickHouseClient,
  day: number,
  version: number,
): Promise<void> {
  await clickhouse.command({
    query: `insert into session_days (project_id, day, version, start, retention_days)
      select ${allProjects}, ${dateOf(day)}, ${version}, ${timeOf(day)}, ${completeDaysMax}`,
  })
}

function inDay(day: number): string {
  const end = timeOf(day + 1)
  return `hour >= ${timeOf(day)} and hour < ${end}`
}

function inProjects(projectIds: readonly number[]): string {
  return `project_id in (${projectIds.map(Number).join(', ')})`
}

function dateOf(day: number): string {
  return `toDate(${day})`
}

function timeOf(day: number): string {
  return `toDateTime(${day * daySeconds}, 'UTC')`
}

function stateIf(kind: typeof distinctUsers | typeof durationQuantiles): string {
  return `${kind.name}StateIf${kind.arguments}`
}
