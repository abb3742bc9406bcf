/**
 * Updates many issues at once. Their ids are found first and changed in batches of one transaction
 * each, so that the locks never delay a commit of the workers for long.
 */
import type { BulkChange, BulkReply } from '#schemas/rest/issue-merge.ts'
import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'
import type { IssueActor } from './issue-history-store.ts'
import { findIssueIds } from './listing/find-issue-ids.ts'
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
  const { ids, query, since, change } = bulk
  const personId = actor.type === 'person' && actor.id !== null ? actor.id : undefined
  // All are found before any is changed, because the query may filter by what is changed.
  const found =
    ids === undefined
      ? await findIssueIds(project, { query, since, personId }, ctx)
      : { ids, more: false }
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
