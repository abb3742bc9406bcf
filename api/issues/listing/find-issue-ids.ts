/**
 * Finds all issues that a search query matches, up to a limit. A bulk change and the count that is
 * shown before it both use this, so that the count is of the issues that will change.
 */
import { IssueListQuery } from '#schemas/rest/issue.ts'
import { bulkIssuesMax, type IssueCount, type IssueCountQuery } from '#schemas/rest/issue-merge.ts'
import type { ApiContext } from '../../context.ts'
import type { StoredProject } from '../../projects/project-store.ts'
import { listIssueIds } from '../issue-store.ts'
import { findFingerprints, fingerprintsFoundMax } from './fingerprint-store.ts'
import { isAboutEvents, readIssueSearch } from './read-issue-search.ts'

export interface FoundIssues {
  /** At most `bulkIssuesMax`, the most recently seen first. */
  readonly ids: string[]
  /** Whether more issues match, or may match. */
  readonly more: boolean
}

/** @param personId who `me` is in the query. */
export async function findIssueIds(
  project: StoredProject,
  { personId, ...given }: IssueCountQuery & { readonly personId: string | undefined },
  ctx: ApiContext,
): Promise<FoundIssues> {
  const projectId = project.dsnId
  const query = IssueListQuery.parse(given)
  const { search, events, isComplete } = await readIssueSearch(query, { project, personId }, ctx)
  const fingerprints = isAboutEvents(events)
    ? await findFingerprints(ctx.clickhouse, { projectId, filter: events })
    : undefined
  const areAllHashes = (fingerprints?.length ?? 0) <= fingerprintsFoundMax
  const ids = await listIssueIds(ctx.pg, {
    projectId,
    filter: { ...query, search, fingerprints: fingerprints?.slice(0, fingerprintsFoundMax) },
    limit: bulkIssuesMax + 1,
  })
  return {
    ids: ids.slice(0, bulkIssuesMax),
    more: !isComplete || !areAllHashes || ids.length > bulkIssuesMax,
  }
}

export async function countIssues(
  project: StoredProject,
  query: IssueCountQuery & { readonly personId: string | undefined },
  ctx: ApiContext,
): Promise<IssueCount> {
  const { ids, more } = await findIssueIds(project, query, ctx)
  return { count: ids.length, is_exact: !more }
}
