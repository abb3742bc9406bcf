import { z } from 'zod'
import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { addActivities, type IssueActor } from './issue-history-store.ts'
import { findIssue } from './issue-store.ts'
import { missingIssue } from './merged-issue.ts'

const commentCharactersMax = 10_000

export const CommentText = z
  .string()
  .min(1)
  .max(commentCharactersMax)
  .describe('Markdown, 1 to 10,000 characters.')

/** Adds a comment to the activity of an issue. Throws `not_found` or `issue_merged`. */
export async function addComment(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: IssueActor,
  { project, issueId, text }: { project: StoredProject; issueId: string; text: string },
): Promise<void> {
  const projectId = project.dsnId
  const at = new Date(ctx.clock.nowMs())
  const isAdded = await ctx.pg.transaction(async (client) => {
    if ((await findIssue(client, { projectId, id: issueId })) === undefined) return false
    await addActivities(client, [{ issueId, kind: 'comment', data: { text } }], { actor, at })
    return true
  })
  if (!isAdded) throw await missingIssue(ctx, { projectId, id: issueId })
}
