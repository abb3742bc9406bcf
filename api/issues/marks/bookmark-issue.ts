import { CodedError } from '#schemas/error-codes.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { ApiContext } from '../../context.ts'
import { missingIssue } from '../merged-issue.ts'
import { lockIssueStates } from '../states/issue-change-store.ts'
import { removeBookmark, writeBookmark } from './mark-store.ts'

export interface BookmarkInput {
  readonly projectId: ProjectId
  readonly issueId: string
  readonly isBookmarked: boolean
}

/**
 * Adds or removes the bookmark of a person; only they see it, so no activity names it. Throws
 * `not_found` or `issue_merged`.
 */
export async function bookmarkIssue(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  personId: string | undefined,
  { projectId, issueId, isBookmarked }: BookmarkInput,
): Promise<void> {
  const isDone = await ctx.pg.transaction(async (client) => {
    const [issue] = await lockIssueStates(client, { projectId, issueIds: [issueId] })
    if (issue === undefined) return false
    if (personId === undefined) {
      throw new CodedError('validation_failed', {
        message: 'A bookmark belongs to a person: log in, because an access token is none.',
      })
    }
    const at = new Date(ctx.clock.nowMs())
    if (isBookmarked) await writeBookmark(client, { issueId, personId, at })
    else await removeBookmark(client, { issueId, personId })
    return true
  })
  if (!isDone) throw await missingIssue(ctx, { projectId, id: issueId })
}
