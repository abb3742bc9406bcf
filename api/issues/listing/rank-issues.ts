/**
 * Ranks issues by their users or their trend, the largest number first. The ranking ends after
 * `fingerprintsRankedMax` issues.
 */
import type { IssueListQuery } from '#schemas/rest/issue.ts'
import type { ApiContext } from '../../context.ts'
import type { StoredProject } from '../../projects/project-store.ts'
import { readTrends } from '../issue-stats.ts'
import { type IssueFilter, listIssues, type StoredIssue } from '../issue-store.ts'
import { readUserCounts } from '../sums/issue-sums.ts'
import { fingerprintsRankedMax, rankFingerprints, readHashTrends } from './fingerprint-store.ts'
import { isAboutEvents, type PreparedSearch } from './read-issue-search.ts'

export type RankedQuery = IssueListQuery & { readonly sort: 'users' | 'trend' }

export interface RankedIssue {
  readonly issue: StoredIssue
  readonly number: number
}

interface Ranking {
  readonly project: StoredProject
  readonly query: RankedQuery
  readonly prepared: PreparedSearch
  readonly ctx: ApiContext
  /** Whether the issue comes after the cursor. */
  readonly isAfter: (ranked: RankedIssue) => boolean
}

/** Of the issues after the cursor, at least those of the page and one more, if there are any. */
export async function rankIssues(ranking: Ranking): Promise<RankedIssue[]> {
  const { query, prepared } = ranking
  const { events } = prepared
  // Postgres knows which issues have been seen since a time, but not which were seen in a period.
  const isOfIssues = !isAboutEvents(events) && events.until === undefined
  if (!isOfIssues) return rankMatching(ranking)
  return query.sort === 'users' ? rankByUsers(ranking) : rankByTrend(ranking)
}

/** Issues whose users are counted by one query. */
const countedAtOnce = 250

/**
 * An issue has at most as many users as events. So issues are counted in the order of their events
 * until the next one cannot have more users than the last one of the page.
 */
async function rankByUsers(ranking: Ranking): Promise<RankedIssue[]> {
  const { project, query, ctx, isAfter } = ranking
  const { search } = ranking.prepared
  const projectId = project.dsnId
  const nowMs = ctx.clock.nowMs()
  const ranked: RankedIssue[] = []
  let last: StoredIssue | undefined
  while (ranked.length < fingerprintsRankedMax) {
    const issues = await listIssues(ctx.pg, {
      projectId,
      filter: { ...query, search, fingerprints: undefined },
      sort: 'count',
      after: last && [last.position, last.id],
      limit: countedAtOnce,
    })
    const numberOf = await readUserCounts(ctx.clickhouse, { projectId, issues, nowMs })
    ranked.push(...issues.map((issue) => ({ issue, number: numberOf(issue.id) })))
    ranked.sort(byNumber)
    last = issues.at(-1)
    if (last === undefined || issues.length < countedAtOnce) break
    const end = ranked.filter(isAfter)[query.limit]
    if (end !== undefined && end.number > last.count) break
  }
  return ranked
}

/** Issues without events for two days have the trend 0; of them, the most recently seen follow. */
async function rankByTrend(ranking: Ranking): Promise<RankedIssue[]> {
  const { project, query, ctx, isAfter } = ranking
  const { search } = ranking.prepared
  const projectId = project.dsnId
  const trends = await readHashTrends(ctx.clickhouse, { projectId, nowMs: ctx.clock.nowMs() })
  const list = (fingerprints: readonly string[] | undefined) =>
    listIssues(ctx.pg, {
      projectId,
      filter: { ...query, search, fingerprints },
      sort: 'last_seen',
      after: undefined,
      limit: fingerprintsRankedMax,
    })
  const rank = (issues: readonly StoredIssue[]) =>
    issues
      .map((issue) => ({
        issue,
        number: issue.hashes.reduce((sum, hash) => sum + (trends.get(hash) ?? 0), 0),
      }))
      .sort(byNumber)
  const rising = [...trends].flatMap(([hash, trend]) => (trend > 0 ? [hash] : []))
  const found = await list(rising.slice(0, fingerprintsRankedMax))
  const first = rank(found)
  const end = first.filter(isAfter)[query.limit]
  if (end !== undefined && end.number > 0) return first
  const known = new Set(found.map(({ id }) => id))
  const others = (await list(undefined)).filter(({ id }) => !known.has(id))
  return rank([...found, ...others]).slice(0, fingerprintsRankedMax)
}

/** With a filter on events, ClickHouse says which hashes come first. */
async function rankMatching(ranking: Ranking): Promise<RankedIssue[]> {
  const { project, query, ctx } = ranking
  const { search, events } = ranking.prepared
  const nowMs = ctx.clock.nowMs()
  const projectId = project.dsnId
  const fingerprints = await rankFingerprints(ctx.clickhouse, {
    projectId,
    filter: events,
    rank: query.sort,
    nowMs,
  })
  const filter: IssueFilter = { ...query, search, fingerprints }
  const issues = await listIssues(ctx.pg, {
    projectId,
    filter,
    sort: 'last_seen',
    after: undefined,
    limit: fingerprintsRankedMax,
  })
  const lookup = { projectId, issues, nowMs }
  const numberOf = await (query.sort === 'users'
    ? readUserCounts(ctx.clickhouse, lookup)
    : readTrends(ctx.clickhouse, lookup))
  return issues.map((issue) => ({ issue, number: numberOf(issue.id) })).sort(byNumber)
}

function byNumber(a: RankedIssue, b: RankedIssue): number {
  return b.number - a.number || (a.issue.id < b.issue.id ? 1 : -1)
}
