import type { IssueItem, IssueStatus } from '#schemas/rest/issue.ts'
import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { readIssueItem } from './get-issue.ts'
import { changeStatus, type IssueActor } from './issue-history-store.ts'
import { missingIssue } from './merged-issue.ts'

export interface UpdateIssue {
  readonly project: StoredProject
  readonly issueId: string
  readonly status: IssueStatus
}

/** Resolves, ignores or reopens an issue. Its activity records who did it. */
export async function updateIssue(
  ctx: Pick<ApiContext, 'pg' | 'clickhouse' | 'clock'>,
  actor: IssueActor,
  { project, issueId, status }: UpdateIssue,
): Promise<IssueItem> {
  const projectId = project.dsnId
  const at = new Date(ctx.clock.nowMs())
  const { matched } = await ctx.pg.transaction((client) =>
    changeStatus(client, { projectId, issueIds: [issueId], status, actor, at }),
  )
  if (matched.length === 0) throw await missingIssue(ctx, { projectId, id: issueId })
  return readIssueItem(ctx, project, issueId)
}
