/**
 * One page of issues. Postgres filters by the columns of issues. Environment, release and component
 * are properties of events, so those filters become a set of grouping hashes with such events. The
 * statistics of the page come from one query.
 */
import { z } from 'zod'
import type { IssueItem, IssueListQuery } from '#schemas/rest/issue.ts'
import type { ApiContext } from '../../context.ts'
import type { EventFilter } from '../../events/event-store.ts'
import { CursorTime, CursorUuid, decodeCursor, type Page, pageOfRows } from '../../http/cursor.ts'
import type { StoredProject } from '../../projects/project-store.ts'
import { readIssueStats } from '../issue-stats.ts'
import { hasUnlistedHashes, listIssues, type StoredIssue, type StoredSort } from '../issue-store.ts'
import { issueItem } from '../issue-view.ts'
import { bookmarkedIssues } from '../marks/mark-store.ts'
import { listFingerprints } from './fingerprint-store.ts'
import { listByUsers } from './list-by-users.ts'
import { listMatching } from './list-matching.ts'
import { type RankedIssue, type RankedQuery, rankIssues } from './rank-issues.ts'
import { isAboutEvents, type PreparedSearch, readIssueSearch } from './read-issue-search.ts'

/** @param personId who `me` is in the query. */
export async function listIssuePage(
  project: StoredProject,
  query: IssueListQuery,
  ctx: ApiContext,
  personId?: string,
): Promise<Page<IssueItem>> {
  const page = await findIssuePage(project, query, { ctx, personId })
  const statsOf = await readIssueStats(ctx.clickhouse, {
    projectId: project.dsnId,
    issues: page.items,
    nowMs: ctx.clock.nowMs(),
  })
  const issueIds = page.items.map(({ id }) => id)
  const bookmarked = await bookmarkedIssues(ctx.pg, { issueIds, personId })
  return {
    items: page.items.map((issue) => ({
      ...issueItem(issue, statsOf(issue.id), project.shortName),
      bookmarked: bookmarked.has(issue.id),
    })),
    next_cursor: page.next_cursor,
  }
}

interface Listing {
  readonly ctx: ApiContext
  readonly personId: string | undefined
}

/** The issues without the statistics of ClickHouse. */
async function findIssuePage(
  project: StoredProject,
  query: IssueListQuery,
  listing: Listing,
): Promise<Page<StoredIssue>> {
  const { sort } = query
  if (sort !== 'users' && sort !== 'trend')
    return pageByColumn(project, { ...query, sort }, listing)
  const { ctx, personId } = listing
  const search = await readIssueSearch(query, { project, personId }, ctx)
  return pageByRank(project, { ...query, sort }, search, ctx)
}

async function pageByColumn(
  project: StoredProject,
  query: IssueListQuery & { sort: StoredSort },
  { ctx, personId }: Listing,
): Promise<Page<StoredIssue>> {
  const position = query.sort === 'count' ? z.int() : CursorTime
  const shape = z.tuple([z.literal(query.sort), position, CursorUuid])
  const cursor = decodeCursor(query.cursor, shape)
  const after = cursor && ([cursor[1], cursor[2]] as const)
  const projectId = project.dsnId
  const { sort } = query
  const limit = query.limit + 1
  const listOf = ({ search }: PreparedSearch) => {
    const filter = { ...query, search, fingerprints: undefined }
    return { projectId, filter, sort, after, limit }
  }
  const read = async (leavesUsers: boolean) => {
    const search = await readIssueSearch(query, { project, personId, leavesUsers }, ctx)
    return search.users.length > 0
      ? listByUsers(ctx, { ...listOf(search), users: search.users })
      : listSearched(ctx, listOf(search), search.events)
  }
  const rows = (await read(true)) ?? (await read(false)) ?? []
  return pageOfRows(rows, query.limit, (row) => [sort, row.position, row.id])
}

async function listSearched(
  ctx: ApiContext,
  list: Parameters<typeof listIssues>[1],
  events: EventFilter,
): Promise<StoredIssue[]> {
  if (!isAboutEvents(events)) return listIssues(ctx.pg, list)
  const found = await listMatching(ctx, { ...list, events })
  if (found !== undefined) return found
  const { projectId } = list
  const fingerprints = await listFingerprints(ctx.clickhouse, { projectId, filter: events })
  return (
    (await listFirstOwners(ctx, list, fingerprints)) ??
    listIssues(ctx.pg, { ...list, filter: { ...list.filter, fingerprints } })
  )
}

/** Looking so many hashes up takes Postgres longer than listing issues. */
const manyFingerprints = 1_000
const firstIssues = 500

/**
 * Undefined if the page is not filled by the issues that come first in the list, or one of them has
 * more hashes than are listed.
 */
async function listFirstOwners(
  ctx: ApiContext,
  list: Parameters<typeof listIssues>[1],
  fingerprints: readonly string[],
): Promise<StoredIssue[] | undefined> {
  if (fingerprints.length < manyFingerprints) return undefined
  const wanted = new Set(fingerprints)
  const issues = await listIssues(ctx.pg, { ...list, limit: firstIssues })
  if (issues.some(hasUnlistedHashes)) return undefined
  const owners = issues.filter(({ hashes }) => hashes.some((hash) => wanted.has(hash)))
  const isPage = owners.length >= list.limit || issues.length < firstIssues
  return isPage ? owners.slice(0, list.limit) : undefined
}

/** Only ClickHouse knows the users and the trend. */
async function pageByRank(
  project: StoredProject,
  query: RankedQuery,
  prepared: PreparedSearch,
  ctx: ApiContext,
): Promise<Page<StoredIssue>> {
  const { sort } = query
  const shape = z.tuple([z.literal(sort), z.int(), CursorUuid])
  const after = decodeCursor(query.cursor, shape)
  const isAfter = ({ issue, number }: RankedIssue) =>
    after === undefined || number < after[1] || (number === after[1] && issue.id < after[2])
  const ranked = await rankIssues({ project, query, prepared, ctx, isAfter })
  const page = pageOfRows(ranked.filter(isAfter), query.limit, ({ issue, number }) => [
    sort,
    number,
    issue.id,
  ])
  return { items: page.items.map(({ issue }) => issue), next_cursor: page.next_cursor }
}
