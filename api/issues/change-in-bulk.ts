/**
 * One change for many issues. Their ids are found first and changed in batches, each a transaction that locks its rows in the
 * order of their ids, so that it never stands in the way of a commit for long.
 */

import { IssueListQuery } from '#schemas/rest/issue.ts'
import { type BulkChange, type BulkReply, bulkIssuesMax } from '#schemas/rest/issue-merge.ts'
import type { Caller } from '../auth/access-token.ts'
import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { changeStatus } from './issue-history-store.ts'
import { findIssuePage } from './list-issues.ts'

const issuesPerBatch = 500

export async function changeInBulk(
  project: StoredProject,
  { ids, query = '', change }: BulkChange,
  caller: Caller,
  ctx: ApiContext,
): Promise<BulkReply> {
  const found = ids === undefined ? await findIds(project, query, ctx) : { ids, more: false }
  const given = [...new Set(found.ids)]
  const matched = new Set<string>()
  let changedCount = 0
  for (let start = 0; start < given.length; start += issuesPerBatch) {
    const result = await ctx.pg.transaction((client) =>
      changeStatus(client, {
        projectId: project.dsnId,
        issueIds: given.slice(start, start + issuesPerBatch),
        status: change.status,
        actor: { type: caller.type, id: caller.id, label: caller.label },
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

/** All of them before any is changed: the query may ask for what the change changes. */
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
