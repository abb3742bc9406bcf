/**
 * Statistics of issues from ClickHouse: users, components, environments, series and tags. Events
 * store their first grouping hash, and Postgres knows which issue owns it. So each query takes the
 * hashes of many issues and groups by issue: a user with two hashes of one issue counts once.
 */
import type { ProjectId } from '#schemas/ids.ts'
import { seriesDays, seriesHours } from '#schemas/rest/issue.ts'
import type { ClickHouse } from '../database.ts'
import { isOneOfHashes, joinHashes } from './hash-list.ts'
import { rowWeight } from './row-weight.ts'
import {
  type IssueNames,
  joinNames,
  namesOf,
  readNames,
  readUsers,
  type SumLookup,
} from './sums/issue-sums.ts'
import { type IssueHashes, selectByIssue } from './sums/select-by-issue.ts'

export interface IssueStats extends IssueNames {
  readonly userCount: number
  /** Whether any event of the issue is stored. */
  readonly hasEvents: boolean
  readonly series24h: number[]
}

const noStats: IssueStats = {
  hasEvents: false,
  userCount: 0,
  components: [],
  environments: [],
  series24h: Array.from({ length: seriesHours }, () => 0),
}

const tagKeysMax = 50
const tagValuesPerKeyMax = 10

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const ofIssues = `project_id = {project:UInt64} and ${isOneOfHashes}`

export async function readIssueStats(
  clickhouse: ClickHouse,
  lookup: SumLookup,
): Promise<(issueId: string) => IssueStats> {
  const from = Math.floor(lookup.nowMs / hourMs) - (seriesHours - 1)
  // The first two queries read sums that are stored, the last one a day of events.
  const [users, names, recent] = await Promise.all([
    readUsers(clickhouse, lookup),
    readNames(clickhouse, lookup),
    selectByIssue<{ issue: string; hours: Record<string, number> } & IssueNames>(
      clickhouse,
      `sumMap(map(intDiv(toUnixTimestamp(received_at), 3600), toUInt64(${rowWeight}))) as hours,
       ${namesOf('component')} as components, ${namesOf('environment')} as environments`,
      { ...lookup, sinceMs: from * hourMs },
    ),
  ])
  const ofDay = new Map(recent.map((row) => [row.issue, row]))
  return (issueId) => {
    const userCount = users.get(issueId)
    if (userCount === undefined) return noStats
    const known = names.get(issueId) ?? noStats
    const day = ofDay.get(issueId)
    return {
      userCount,
      // Names read some minutes ago lack those of newer events, which are of the last day.
      components: joinNames(known.components, day?.components),
      environments: joinNames(known.environments, day?.environments),
      hasEvents: true,
      series24h: seriesFrom(day?.hours ?? {}, from, seriesHours),
    }
  }
}

/** The time that a trend is about. */
export const trendMs = 48 * hourMs

/** Events of the last 24 hours minus those of the 24 hours before, as an expression of SQL. */
export function trendAt(nowMs: number): string {
  const hoursAgo = (hours: number) =>
    `received_at >= fromUnixTimestamp64Milli(toInt64(${Math.trunc(nowMs - hours * hourMs)}))`
  const since = (hours: number) => `toInt64(sumIf(${rowWeight}, ${hoursAgo(hours)}))`
  return `(2 * ${since(24)} - ${since(48)})`
}

export async function readTrends(
  clickhouse: ClickHouse,
  lookup: { projectId: ProjectId; issues: readonly IssueHashes[]; nowMs: number },
): Promise<(issueId: string) => number> {
  const columns = `${trendAt(lookup.nowMs)} as trend`
  const rows = await selectByIssue<{ issue: string; trend: number }>(clickhouse, columns, {
    ...lookup,
    sinceMs: lookup.nowMs - trendMs,
  })
  const trends = new Map(rows.map((row) => [row.issue, Number(row.trend)]))
  return (issueId) => trends.get(issueId) ?? 0
}

/** Events per day of the last 30 days. */
export async function readDailySeries(
  clickhouse: ClickHouse,
  lookup: { projectId: ProjectId; hashes: readonly string[]; nowMs: number },
): Promise<number[]> {
  const from = Math.floor(lookup.nowMs / dayMs) - (seriesDays - 1)
  const rows = await clickhouse.select<{ day: number; events: number }>(
    `select intDiv(toUnixTimestamp(received_at), 86400) as day, sum(${rowWeight}) as events
     from events
     where ${ofIssues} and received_at >= fromUnixTimestamp64Milli({since:Int64})
     group by day`,
    {
      project: lookup.projectId,
      hashes: joinHashes(lookup.hashes),
      since: from * dayMs,
    },
  )
  const days = Object.fromEntries(rows.map((row) => [row.day, row.events]))
  return seriesFrom(days, from, seriesDays)
}

/** Of an issue with more events, the tags of the newest ones are counted. */
export const taggedEventsMax = 50_000
/** With fewer events in the series, its days say too little. */
const taggedEventsMin = 1_000

/**
 * The time since which the tags of an issue with many events are counted; undefined: all.
 * @param daily events per day, the last day being today
 */
export function tagsSince(daily: readonly number[], nowMs: number): number | undefined {
  const inSeries = daily.reduce((sum, events) => sum + events, 0)
  if (inSeries < taggedEventsMin) return undefined
  let day = Math.floor(nowMs / dayMs)
  let events = 0
  for (const ofDay of [...daily].reverse()) {
    events += ofDay
    if (events >= taggedEventsMax) return day * dayMs
    day -= 1
  }
  return (day + 1) * dayMs
}

/** The most frequent values of the most frequent tags. */
export async function readTopTags(
  clickhouse: ClickHouse,
  lookup: { projectId: ProjectId; hashes: readonly string[]; sinceMs: number | undefined },
): Promise<Record<string, { value: string; count: number }[]>> {
  const rows = await clickhouse.select<{ key: string; value: string; events: number }>(
    `select key, value, sum(${rowWeight}) as events, sum(events) over (partition by key) as of_key
     from events array join mapKeys(tags) as key, mapValues(tags) as value
     where ${ofIssues} and received_at >= fromUnixTimestamp64Milli({since:Int64})
     group by key, value
     order by of_key desc, key, events desc, value
     limit ${tagValuesPerKeyMax} by key
     limit ${tagValuesPerKeyMax * tagKeysMax}`,
    {
      project: lookup.projectId,
      hashes: joinHashes(lookup.hashes),
      since: lookup.sinceMs ?? 0,
    },
  )
  const tags: [string, { value: string; count: number }[]][] = []
  for (const { key, value, events } of rows) {
    if (tags.at(-1)?.[0] !== key) tags.push([key, []])
    tags.at(-1)![1].push({ value, count: events })
  }
  return Object.fromEntries(tags)
}

function seriesFrom(counts: Readonly<Record<string, number>>, from: number, length: number) {
  return Array.from({ length }, (_, index) => Number(counts[String(from + index)] ?? 0))
}
