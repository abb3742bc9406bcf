/**
 * Statistics of issues from ClickHouse: users, components, environments and series. Events
 * store their first grouping hash, and Postgres knows which issue owns it. So each query takes the
 * hashes of many issues and groups by issue: a user with two hashes of one issue counts once.
 */
import type { ProjectId } from '#schemas/ids.ts'
import { seriesHours } from '#schemas/rest/issue.ts'
import type { ClickHouse } from '../database.ts'
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

export const noStats: IssueStats = {
  hasEvents: false,
  userCount: 0,
  components: [],
  environments: [],
  series24h: Array.from({ length: seriesHours }, () => 0),
}

const hourMs = 3_600_000

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

/** @param from the number of the first hour or day */
export function seriesFrom(counts: Readonly<Record<string, number>>, from: number, length: number) {
  return Array.from({ length }, (_, index) => Number(counts[String(from + index)] ?? 0))
}
