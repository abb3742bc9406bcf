/** What the page of an issue shows of the events that are stored. */
import type { ProjectId } from '#schemas/ids.ts'
import { seriesDays, seriesHours } from '#schemas/rest/issue.ts'
import type { ClickHouse } from '../../database.ts'
import { derivedTagExpressions, derivedTagNames } from '../../events/derived-tags.ts'
import { type IssueStats, noStats, readIssueStats, seriesFrom } from '../issue-stats.ts'
import type { StoredIssue } from '../issue-store.ts'
import { joinNames } from '../sums/issue-sums.ts'
import { dailyOf, readHourlySeries, taggedEventsMax, tagsSince } from './hourly-series.ts'
import { readOwnTags, type TagValues, valuesPerTagMax } from './own-tag-store.ts'
import { countValues, type ValueCounts } from './value-count-store.ts'

export interface IssueFacts {
  readonly stats: IssueStats
  /** Events per day of the last 30 days. */
  readonly daily: number[]
  /** Tags that clients set. */
  readonly ownTags: TagValues
  readonly derivedTags: TagValues
}

interface Lookup {
  readonly projectId: ProjectId
  readonly issue: StoredIssue
  readonly nowMs: number
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export function readIssueFacts(clickhouse: ClickHouse, lookup: Lookup): Promise<IssueFacts> {
  return lookup.issue.count > taggedEventsMax
    ? readNewestEvents(clickhouse, lookup)
    : readAllEvents(clickhouse, lookup)
}

async function readAllEvents(clickhouse: ClickHouse, lookup: Lookup): Promise<IssueFacts> {
  const { projectId, issue, nowMs } = lookup
  const events = { projectId, hashes: issue.hashes, sinceMs: undefined }
  const firstDay = Math.floor(nowMs / dayMs) - (seriesDays - 1)
  const firstHour = Math.floor(nowMs / hourMs) - (seriesHours - 1)
  const others = [
    // Every event has a project: without a value of it, there is no event.
    'project_id',
    'component',
    timeSince(firstDay, dayMs),
    timeSince(firstHour, hourMs),
  ]
  const [ownTags, counts] = await Promise.all([
    readOwnTags(clickhouse, events),
    countValues(clickhouse, {
      ...events,
      expressions: [...derivedTagExpressions, ...others],
      valuesMax: Math.max(seriesDays, seriesHours),
    }),
  ])
  const [projects, components, days, hours] = counts.slice(derivedTagNames.length)
  const tag = (name: string) => counts[derivedTagNames.indexOf(name)]!
  const stats = {
    hasEvents: true,
    userCount: tag('user').distinct,
    components: joinNames(namesOf(components!)),
    environments: joinNames(namesOf(tag('environment'))),
    series24h: seriesFrom(countsOf(hours!), firstHour, seriesHours),
  }
  return {
    stats: projects!.distinct > 0 ? stats : noStats,
    daily: seriesFrom(countsOf(days!), firstDay, seriesDays),
    ownTags,
    derivedTags: tagsOf(counts),
  }
}

async function readNewestEvents(clickhouse: ClickHouse, lookup: Lookup): Promise<IssueFacts> {
  const { projectId, issue, nowMs } = lookup
  const events = { projectId, hashes: issue.hashes, nowMs }
  const readTags = async () => {
    const hourly = await readHourlySeries(clickhouse, events)
    const newest = { ...events, sinceMs: tagsSince(hourly, nowMs) }
    const [ownTags, counts] = await Promise.all([
      readOwnTags(clickhouse, newest),
      countValues(clickhouse, {
        ...newest,
        expressions: derivedTagExpressions,
        valuesMax: valuesPerTagMax,
      }),
    ])
    return { daily: dailyOf(hourly), ownTags, derivedTags: tagsOf(counts) }
  }
  const [statsOf, tags] = await Promise.all([
    readIssueStats(clickhouse, { projectId, issues: [issue], nowMs }),
    readTags(),
  ])
  return { stats: statsOf(issue.id), ...tags }
}

/** The number of the hour or day since 1970 as an expression; empty before the first one. */
function timeSince(first: number, unitMs: number): string {
  const number = `intDiv(toUnixTimestamp(received_at), ${unitMs / 1000})`
  return `if(${number} >= ${first}, toString(${number}), '')`
}

function namesOf({ values }: ValueCounts): string[] {
  return values.map(({ value }) => value)
}

function countsOf({ values }: ValueCounts): Record<string, number> {
  return Object.fromEntries(values.map(({ value, count }) => [value, count]))
}

function tagsOf(counts: readonly ValueCounts[]): TagValues {
  return Object.fromEntries(
    derivedTagNames.flatMap((name, index) => {
      const values = counts[index]!.values.slice(0, valuesPerTagMax)
      return values.length === 0 ? [] : [[name, values]]
    }),
  )
}
