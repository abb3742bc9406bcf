import type { IssueChange, IssueItem } from '#schemas/rest/issue.ts'
import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { readIssueItem } from './get-issue.ts'
import type { IssueActor } from './issue-history-store.ts'
import { missingIssue } from './merged-issue.ts'
import { changeIssues } from './states/change-issues.ts'

export interface UpdateIssue {
  readonly project: StoredProject
  readonly issueId: string
  readonly change: IssueChange
}

/** Resolves, ignores, reopens, assigns or reviews an issue. Its activity records who did it. */
export async function updateIssue(
  ctx: Pick<ApiContext, 'pg' | 'clickhouse' | 'clock'>,
  actor: IssueActor,
  { project, issueId, change }: UpdateIssue,
): Promise<IssueItem> {
  const at = new Date(ctx.clock.nowMs())
  const { matched } = await ctx.pg.transaction((client) =>
    changeIssues(client, actor, { project, issueIds: [issueId], change, at }),
  )
  if (matched.length === 0) throw await missingIssue(ctx, { projectId: project.dsnId, id: issueId })
  return readIssueItem(ctx, project, issueId)
}
