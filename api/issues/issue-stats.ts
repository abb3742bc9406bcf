/**
 * Statistics of issues from ClickHouse: users, components, environments, series and tags. Events
 * store their first grouping hash, and Postgres knows which issue owns it. So each query takes the
 * hashes of many issues and groups by issue: a user with two hashes of one issue counts once.
 */
import type { ProjectId } from '#schemas/ids.ts'
import { seriesDays, seriesHours } from '#schemas/rest/issue.ts'
import type { ClickHouse } from '../database.ts'
import { hashesGiven, isOneOfHashes, joinHashes } from './hash-list.ts'
import { type CountedIssue, IssueSumCache, type IssueSums } from './issue-sum-cache.ts'
import { rowWeight } from './row-weight.ts'

export interface IssueHashes {
  readonly id: string
  readonly hashes: readonly string[]
}

export interface IssueStats extends IssueSums {
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

/**
 * Hashes per query. Parameters are sent in the URL, and some servers limit the head of a request to
 * 16 KiB.
 */
export const hashesPerQueryMax = 300
/** Names of components or environments per issue. */
const namesPerIssueMax = 20
const tagKeysMax = 50
const tagValuesPerKeyMax = 10

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/**
 * The identity of the user of an event: the first known of id, email, name and IP address. The
 * projection `issue_sums` has the same text (schemas/clickhouse/0010-issue-sums.sql).
 */
export const userIdentity = `multiIf(
  notEmpty(user_id), concat('id:', user_id), notEmpty(user_email), concat('email:', user_email),
  notEmpty(user_name), concat('name:', user_name), notEmpty(user_ip), concat('ip:', user_ip), '')`

export const userCount = `uniqIf(${userIdentity}, notEmpty(${userIdentity}))`
const namesOf = (column: 'component' | 'environment') =>
  `arraySort(groupUniqArrayIf(${namesPerIssueMax})(${column}, notEmpty(${column})))`

const ofIssues = `project_id = {project:UInt64} and ${isOneOfHashes}`

export async function readIssueStats(
  clickhouse: ClickHouse,
  lookup: { projectId: ProjectId; issues: readonly CountedIssue[]; nowMs: number },
): Promise<(issueId: string) => IssueStats> {
  const from = Math.floor(lookup.nowMs / hourMs) - (seriesHours - 1)
  // Two queries: the first one reads sums that are stored, the second one a day of events.
  const [sums, recent] = await Promise.all([
    readSums(clickhouse, lookup),
    selectByIssue<{ issue: string; hours: Record<string, number> }>(
      clickhouse,
      `sumMap(map(intDiv(toUnixTimestamp(received_at), 3600), toUInt64(${rowWeight}))) as hours`,
      { ...lookup, sinceMs: from * hourMs },
    ),
  ])
  const hoursOf = new Map(recent.map(({ issue, hours }) => [issue, hours]))
  return (issueId) => {
    const found = sums.get(issueId)
    if (found === undefined) return noStats
    const series24h = seriesFrom(hoursOf.get(issueId) ?? {}, from, seriesHours)
    return { ...found, hasEvents: true, series24h }
  }
}

export async function readUserCounts(
  clickhouse: ClickHouse,
  lookup: { projectId: ProjectId; issues: readonly CountedIssue[]; nowMs: number },
): Promise<(issueId: string) => number> {
  const sums = await readSums(clickhouse, lookup)
  return (issueId) => sums.get(issueId)?.userCount ?? 0
}

/** One for each connection to ClickHouse. */
const caches = new WeakMap<ClickHouse, IssueSumCache>()

/** Without the issues that have no events. */
async function readSums(
  clickhouse: ClickHouse,
  lookup: { projectId: ProjectId; issues: readonly CountedIssue[]; nowMs: number },
): Promise<Map<string, IssueSums>> {
  const { projectId, issues, nowMs } = lookup
  const cache = caches.get(clickhouse) ?? new IssueSumCache()
  caches.set(clickhouse, cache)
  const unknown: CountedIssue[] = []
  const sums = new Map<string, IssueSums>()
  for (const issue of issues) {
    const known = cache.find(issue, nowMs)
    if (known === undefined) unknown.push(issue)
    else if (known.sums !== undefined) sums.set(issue.id, known.sums)
  }
  const rows = await selectByIssue<{ issue: string } & IssueSums>(
    clickhouse,
    `${userCount} as userCount, ${namesOf('component')} as components,
     ${namesOf('environment')} as environments`,
    { projectId, issues: unknown },
  )
  for (const { issue, ...found } of rows) sums.set(issue, found)
  for (const issue of unknown) cache.keep(issue, sums.get(issue.id), nowMs)
  return sums
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
const taggedEventsMax = 50_000
/** With fewer events in the series, its days say too little. */
const taggedEventsMin = 1_000

/**
 * The time since which tags are counted; undefined: all.
 * @param daily events per day, the last day being today
 */
export function tagsSince(
  daily: readonly number[],
  issue: { readonly count: number },
  nowMs: number,
): number | undefined {
  const inSeries = daily.reduce((sum, events) => sum + events, 0)
  if (issue.count <= taggedEventsMax || inSeries < taggedEventsMin) return undefined
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

/** One query, or several if the issues own more hashes than fit into one. */
async function selectByIssue<Row extends { issue: string }>(
  clickhouse: ClickHouse,
  columns: string,
  lookup: {
    projectId: ProjectId
    issues: readonly IssueHashes[]
    /** Only events that were received at or after this time. */
    sinceMs?: number
  },
): Promise<Row[]> {
  const rows: Row[] = []
  const { sinceMs } = lookup
  const since = sinceMs === undefined ? {} : { since: sinceMs }
  const recent =
    sinceMs === undefined ? '' : 'and received_at >= fromUnixTimestamp64Milli({since:Int64})'
  for (const issues of packIssues(lookup.issues)) {
    const owners = issues.flatMap((issue, index) => issue.hashes.map(() => index))
    const found = await clickhouse.select<Omit<Row, 'issue'> & { owner: number }>(
      `select transform(fingerprint, ${hashesGiven}, {owners:Array(UInt16)}, 0) as owner, ${columns}
       from events where ${ofIssues} ${recent} group by owner`,
      {
        ...since,
        project: lookup.projectId,
        hashes: joinHashes(issues.flatMap((issue) => issue.hashes)),
        owners,
      },
    )
    for (const { owner, ...rest } of found) {
      rows.push({ ...rest, issue: issues[owner]!.id } as unknown as Row)
    }
  }
  return rows
}

/**
 * Splits issues into queries. The hashes of one issue stay together, or its users would be counted
 * twice.
 */
export function packIssues(issues: readonly IssueHashes[]): IssueHashes[][] {
  const packs: IssueHashes[][] = []
  let hashCount = Number.POSITIVE_INFINITY
  for (const issue of issues) {
    if (issue.hashes.length === 0) continue
    if (hashCount + issue.hashes.length > hashesPerQueryMax) {
      packs.push([])
      hashCount = 0
    }
    packs.at(-1)!.push(issue)
    hashCount += issue.hashes.length
  }
  return packs
}

function seriesFrom(counts: Readonly<Record<string, number>>, from: number, length: number) {
  return Array.from({ length }, (_, index) => Number(counts[String(from + index)] ?? 0))
}
