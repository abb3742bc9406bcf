/**
 * Updates many issues at once. Their ids are found first and changed in batches of one transaction
 * each, so that the locks never delay a commit of the workers for long.
 */
import { IssueListQuery } from '#schemas/rest/issue.ts'
import { type BulkChange, type BulkReply, bulkIssuesMax } from '#schemas/rest/issue-merge.ts'
import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'
import type { IssueActor } from './issue-history-store.ts'
import { findIssuePage } from './listing/list-issues.ts'
import { changeIssues } from './states/change-issues.ts'

const issuesPerBatch = 500

export interface UpdateIssues {
  readonly project: StoredProject
  readonly bulk: BulkChange
}

/** Changes the issues with the given ids, or those that a search query finds. */
export async function updateIssues(
  ctx: ApiContext,
  actor: IssueActor,
  { project, bulk }: UpdateIssues,
): Promise<BulkReply> {
  const { ids, query = '', change } = bulk
  const found = ids === undefined ? await findIds(project, query, ctx) : { ids, more: false }
  const given = [...new Set(found.ids)]
  const matched = new Set<string>()
  let changedCount = 0
  for (let start = 0; start < given.length; start += issuesPerBatch) {
    const result = await ctx.pg.transaction((client) =>
      changeIssues(client, actor, {
        project,
        issueIds: given.slice(start, start + issuesPerBatch),
        change,
        at: new Date(ctx.clock.nowMs()),
      }),
    )
    for (const id of result.matched) matched.add(id)
    changedCount += result.changedCount
  }
  return {
    matched: matched.size,
    changed: changedCount,
    unchanged: matched.size - changedCount,
    missing: ids === undefined ? [] : given.filter((id) => !matched.has(id)),
    more: found.more,
  }
}

/** Finds all ids before any issue is changed, because the query may filter by what is changed. */
async function findIds(
  project: StoredProject,
  query: string,
  ctx: ApiContext,
): Promise<{ ids: string[]; more: boolean }> {
  const list = IssueListQuery.parse({ query })
  const ids: string[] = []
  let cursor: string | undefined
  while (true) {
    const limit = Math.min(issuesPerBatch, bulkIssuesMax - ids.length)
    const page = await findIssuePage(project, { ...list, limit, cursor }, ctx)
    ids.push(...page.items.map(({ id }) => id))
    if (page.next_cursor === null) return { ids, more: false }
    if (ids.length >= bulkIssuesMax) return { ids, more: true }
    cursor = page.next_cursor
  }
}
