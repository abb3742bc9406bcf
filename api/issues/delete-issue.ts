/**
 * Deleting an issue. Its rows in Postgres are deleted at once, its events in ClickHouse by a job. A
 * new event of the same error must not be deleted with them, so the deletion stores how far each
 * partition was committed. A commit that counts events into an issue locks its row, so it either
 * comes before the deletion, which its cursor then covers, or it finds no issue.
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { IssueDeletion } from '#schemas/rest/issue-merge.ts'
import type { ApiContext } from '../context.ts'
import { deleteIssueRows, findDeletion, type StoredDeletion } from './deletion-store.ts'
import type { IssueActor } from './issue-history-store.ts'
import { findIssueEnd, listMergedInto, lockIssues, lockMerging } from './merge-store.ts'
import { issueMerged } from './merged-issue.ts'

export interface DeleteIssue {
  readonly projectId: ProjectId
  readonly issueId: string
}

/**
 * Deletes an issue with all issues that were merged into it. A repeated call returns the state of
 * the job.
 */
export async function deleteIssue(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: IssueActor,
  { projectId, issueId }: DeleteIssue,
): Promise<IssueDeletion> {
  const at = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (client) => {
    await lockMerging(client, projectId)
    const end = await findIssueEnd(client, { projectId, id: issueId })
    if (end === undefined) {
      const before = await findDeletion(client, { projectId, issueId })
      if (before === undefined) throw new CodedError('not_found')
      return deletionView(before)
    }
    if (end !== issueId) throw issueMerged(end)
    await lockIssues(client, await listMergedInto(client, issueId))
    const deletion = await deleteIssueRows(client, { projectId, issueId, actor, at })
    if (deletion === undefined) throw new CodedError('not_found')
    return deletionView(deletion)
  })
}

function deletionView(deletion: StoredDeletion): IssueDeletion {
  return {
    issue_id: deletion.issue_id,
    status: deletion.finished_at === null ? 'deleting' : 'deleted',
    event_count: deletion.event_count,
    requested_at: deletion.requested_at.toISOString(),
  }
}
