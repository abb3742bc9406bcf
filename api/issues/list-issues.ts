/**
 * One page of issues. Postgres filters by the columns of issues. Environment, release and component
 * are properties of events, so those filters become a set of grouping hashes with such events. The
 * statistics of the page come from one query.
 */
import { z } from 'zod'
import type { IssueItem, IssueListQuery } from '#schemas/rest/issue.ts'
import type { ApiContext } from '../context.ts'
import type { EventFilter } from '../events/event-store.ts'
import { CursorTime, CursorUuid, decodeCursor, type Page, pageOfRows } from '../http/cursor.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { eventSearch } from '../search/event-search.ts'
import { type IssueSearch, issueSearch } from '../search/issue-search.ts'
import { readSearch } from '../search/search-error.ts'
import { fingerprintsRankedMax, listFingerprints, rankFingerprints } from './fingerprint-store.ts'
import { readIssueStats, readTrends, readUserCounts } from './issue-stats.ts'
import { type IssueFilter, listIssues, type StoredIssue, type StoredSort } from './issue-store.ts'
import { issueItem } from './issue-view.ts'

export async function listIssuePage(
  project: StoredProject,
  query: IssueListQuery,
  ctx: ApiContext,
): Promise<Page<IssueItem>> {
  const page = await findIssuePage(project, query, ctx)
  const statsOf = await readIssueStats(ctx.clickhouse, {
    projectId: project.dsnId,
    issues: page.items,
    nowMs: ctx.clock.nowMs(),
  })
  return {
    items: page.items.map((issue) => issueItem(issue, statsOf(issue.id), project.shortName)),
    next_cursor: page.next_cursor,
  }
}

/** The issues without the statistics of ClickHouse. */
export function findIssuePage(
  project: StoredProject,
  query: IssueListQuery,
  ctx: ApiContext,
): Promise<Page<StoredIssue>> {
  const search = issueSearch(readSearch(query.query), ctx.clock.nowMs())
  const { sort } = query
  return sort === 'users' || sort === 'trend'
    ? pageByRank(project, { ...query, sort }, search, ctx)
    : pageByColumn(project, { ...query, sort }, search, ctx)
}

async function pageByColumn(
  project: StoredProject,
  query: IssueListQuery & { sort: StoredSort },
  search: IssueSearch,
  ctx: ApiContext,
): Promise<Page<StoredIssue>> {
  const position = query.sort === 'count' ? z.int() : CursorTime
  const shape = z.tuple([z.literal(query.sort), position, CursorUuid])
  const after = decodeCursor(query.cursor, shape)
  const rows = await listIssues(ctx.pg, {
    projectId: project.dsnId,
    filter: {
      ...query,
      search,
      fingerprints: await filteredFingerprints(project, query, search, ctx),
    },
    sort: query.sort,
    after: after && [after[1], after[2]],
    limit: query.limit + 1,
  })
  return pageOfRows(rows, query.limit, (row) => [query.sort, row.position, row.id])
}

async function filteredFingerprints(
  project: StoredProject,
  query: IssueListQuery,
  search: IssueSearch,
  ctx: ApiContext,
): Promise<string[] | undefined> {
  const { environment, release, component } = query
  const filter = eventFilter(query, search, ctx)
  const isForEvents = (environment ?? release ?? component) !== undefined
  if (!isForEvents && filter.search === undefined) return undefined
  return listFingerprints(ctx.clickhouse, { projectId: project.dsnId, filter })
}

/**
 * Only ClickHouse knows the users and the trend, so it returns the hashes with the largest number
 * first.
 */
async function pageByRank(
  project: StoredProject,
  query: IssueListQuery & { sort: 'users' | 'trend' },
  search: IssueSearch,
  ctx: ApiContext,
): Promise<Page<StoredIssue>> {
  const { sort } = query
  const nowMs = ctx.clock.nowMs()
  const shape = z.tuple([z.literal(sort), z.int(), CursorUuid])
  const after = decodeCursor(query.cursor, shape)
  const projectId = project.dsnId
  const filter: IssueFilter = {
    ...query,
    search,
    fingerprints: await rankFingerprints(ctx.clickhouse, {
      projectId,
      filter: eventFilter(query, search, ctx),
      rank: sort,
      nowMs,
    }),
  }
  const issues = await listIssues(ctx.pg, {
    projectId,
    filter,
    sort: 'last_seen',
    after: undefined,
    limit: fingerprintsRankedMax,
  })
  const lookup = { projectId, issues, nowMs }
  const numberOf = await (sort === 'users'
    ? readUserCounts(ctx.clickhouse, lookup)
    : readTrends(ctx.clickhouse, lookup))
  const ranked = issues
    .map((issue) => ({ issue, number: numberOf(issue.id) }))
    .sort((a, b) => b.number - a.number || (a.issue.id < b.issue.id ? 1 : -1))
    .filter(({ issue, number }) => {
      if (after === undefined) return true
      return number < after[1] || (number === after[1] && issue.id < after[2])
    })
  const page = pageOfRows(ranked, query.limit, ({ issue, number }) => [sort, number, issue.id])
  return { items: page.items.map(({ issue }) => issue), next_cursor: page.next_cursor }
}

/** The filter of events. Text and level are columns of issues and are filtered in Postgres. */
function eventFilter(
  query: IssueListQuery,
  { eventTerms }: IssueSearch,
  ctx: ApiContext,
): EventFilter {
  const { environment, release, component, since, until } = query
  const search = eventTerms.length === 0 ? undefined : eventSearch(eventTerms, ctx.clock.nowMs())
  return { environment, release, component, since, until, search }
}
