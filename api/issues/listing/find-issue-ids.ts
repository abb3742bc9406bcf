/**
 * Finds all issues that a search query matches, up to a limit. A bulk change and the count that is
 * shown before it both use this, so that the count is of the issues that will change.
 */
import { IssueListQuery } from '#schemas/rest/issue.ts'
import { bulkIssuesMax, type IssueCount, type IssueCountQuery } from '#schemas/rest/issue-merge.ts'
import type { ApiContext } from '../../context.ts'
import type { StoredProject } from '../../projects/project-store.ts'
import { issueSearch } from '../../search/issue-search.ts'
import { readSearch } from '../../search/search-error.ts'
import { listIssueIds } from '../issue-store.ts'
import { eventFilter, isAboutEvents } from './event-filter.ts'
import { findFingerprints, fingerprintsFoundMax } from './fingerprint-store.ts'

export interface FoundIssues {
  /** At most `bulkIssuesMax`, the most recently seen first. */
  readonly ids: string[]
  /** Whether more issues match, or may match. */
  readonly more: boolean
}

export async function findIssueIds(
  project: StoredProject,
  given: IssueCountQuery,
  ctx: ApiContext,
): Promise<FoundIssues> {
  const projectId = project.dsnId
  const query = IssueListQuery.parse(given)
  const search = issueSearch(readSearch(query.query), ctx.clock.nowMs())
  const events = eventFilter(query, search, ctx)
  const fingerprints = isAboutEvents(events)
    ? await findFingerprints(ctx.clickhouse, { projectId, filter: events })
    : undefined
  const areAllHashes = (fingerprints?.length ?? 0) <= fingerprintsFoundMax
  const ids = await listIssueIds(ctx.pg, {
    projectId,
    filter: { ...query, search, fingerprints: fingerprints?.slice(0, fingerprintsFoundMax) },
    limit: bulkIssuesMax + 1,
  })
  return { ids: ids.slice(0, bulkIssuesMax), more: !areAllHashes || ids.length > bulkIssuesMax }
}

export async function countIssues(
  project: StoredProject,
  query: IssueCountQuery,
  ctx: ApiContext,
): Promise<IssueCount> {
  const { ids, more } = await findIssueIds(project, query, ctx)
  return { count: ids.length, is_exact: !more }
}
