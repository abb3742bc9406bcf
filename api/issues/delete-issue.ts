/**
 * An issue is deleted in Postgres at once and its events in ClickHouse by a job. What tells them from events of the issue
 * that the same error makes next is how far each partition was committed at that moment: whoever counts into the issue holds
 * its row, so every commit is either before the deletion, with its cursor, or finds the issue gone.
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { IssueDeletion } from '#schemas/rest/issue-merge.ts'
import type { Database } from '../database.ts'
import { deleteIssueRows, findDeletion, type StoredDeletion } from './deletion-store.ts'
import type { Doing } from './merge-issue.ts'
import { findIssueEnd, listMergedInto, lockIssues, lockMerging } from './merge-store.ts'
import { issueMerged } from './merged-issue.ts'

/** Run in a transaction. */
export async function deleteIssue(client: Database, doing: Doing): Promise<IssueDeletion> {
  const { projectId, issueId } = doing
  await lockMerging(client, projectId)
  const end = await findIssueEnd(client, { projectId, id: issueId })
  if (end === undefined) {
    const before = await findDeletion(client, { projectId, issueId })
    if (before === undefined) throw new CodedError('not_found')
    return deletionView(before)
  }
  if (end !== issueId) throw issueMerged(end)
  await lockIssues(client, await listMergedInto(client, issueId))
  const deletion = await deleteIssueRows(client, doing)
  if (deletion === undefined) throw new CodedError('not_found')
  return deletionView(deletion)
}

function deletionView(deletion: StoredDeletion): IssueDeletion {
  return {
    issue_id: deletion.issue_id,
    status: deletion.finished_at === null ? 'deleting' : 'deleted',
    event_count: deletion.event_count,
    requested_at: deletion.requested_at.toISOString(),
  }
}
