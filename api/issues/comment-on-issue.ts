import type { IssueActivity } from '#schemas/rest/issue.ts'
import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { addActivities, type IssueActor } from './issue-history-store.ts'
import { missingIssue } from './merged-issue.ts'
import { lockIssueStates } from './states/issue-change-store.ts'

export interface IssueCommentInput {
  readonly project: Pick<StoredProject, 'dsnId'>
  readonly issueId: string
  /** Markdown. */
  readonly text: string
}

/** Adds a comment to the activity of an issue. Throws `not_found` or `issue_merged`. */
export async function addComment(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: IssueActor,
  { project, issueId, text }: IssueCommentInput,
): Promise<IssueActivity> {
  const projectId = project.dsnId
  const at = new Date(ctx.clock.nowMs())
  const data = { text }
  const isAdded = await ctx.pg.transaction(async (client) => {
    // The lock waits for a concurrent merge.
    const [issue] = await lockIssueStates(client, { projectId, issueIds: [issueId] })
    if (issue === undefined) return false
    await addActivities(client, [{ issueId, kind: 'comment', data }], { actor, at })
    return true
  })
  if (!isAdded) throw await missingIssue(ctx, { projectId, id: issueId })
  return { issue_id: issueId, kind: 'comment', actor, data, at: at.toISOString() }
}
