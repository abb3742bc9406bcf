/** Changes of one issue: shown at once, sent, and undone by the opposite change. */
import { editItems, editReply } from '../../../../http/edit-cache.ts'
import { queryClient } from '../../../../http/query-client.ts'
import { request } from '../../../../http/request.ts'
import { runChange } from '../../../../http/run-change.ts'
import {
  hashesRead,
  type IssueDetail,
  issueRead,
  issuesRead,
  placeRead,
  readsOfIssues,
  similarRead,
} from '../issue-reads.ts'
import { expectedOf, type IssueChange, undoOf } from './undo-of.ts'

const patchIssue = 'PATCH /api/v1/projects/{project_id}/issues/{issue_id}'

interface IssueOf {
  readonly projectId: string
  readonly issue: IssueDetail
}

export async function changeIssue(
  { projectId, issue }: IssueOf,
  change: IssueChange,
  done: string,
): Promise<void> {
  const params = { project_id: projectId, issue_id: issue.id }
  const undo = undoOf(issue, change)
  const expected = expectedOf(change)
  await runChange({
    send: () => request(patchIssue, { params, body: change }),
    apply: () => {
      const restoreIssue = editReply(
        issueRead,
        ({ issue_id }) => issue_id === issue.id,
        (reply) => ({ ...reply, ...expected }),
      )
      const restoreList = editItems(issuesRead, (item) =>
        item.id === issue.id ? { ...item, ...expected } : item,
      )
      return () => {
        restoreIssue()
        restoreList()
      }
    },
    done,
    ...(undo === undefined ? {} : { undo: () => request(patchIssue, { params, body: undo }) }),
    refetch: [issueRead, ...readsOfIssues],
  })
}

/** Merges the issue into another one; undo gives the hashes back. */
export async function mergeInto(
  { projectId, issue }: IssueOf,
  target: { readonly id: string; readonly short_id: string },
  afterwards: (issueId: string) => void,
): Promise<boolean> {
  const hashes = issue.grouping.hashes.map(({ hash }) => hash)
  const merged = await runChange({
    send: () =>
      request('POST /api/v1/projects/{project_id}/issues/{issue_id}/merge', {
        params: { project_id: projectId, issue_id: issue.id },
        body: { into: target.id },
      }),
    done: `Merged ${issue.short_id} into ${target.short_id}.`,
    undo: async ({ id }) => {
      const reply = await splitOff(projectId, id, hashes)
      forgetIssue()
      return reply
    },
    refetch: [issueRead, hashesRead, similarRead, ...readsOfIssues],
  })
  if (merged !== undefined) afterwards(merged.id)
  return merged !== undefined
}

export function splitOff(projectId: string, issueId: string, hashes: readonly string[]) {
  return request('POST /api/v1/projects/{project_id}/issues/{issue_id}/unmerge', {
    params: { project_id: projectId, issue_id: issueId },
    body: { hashes: [...hashes] },
  })
}

/** After hashes have moved, every read of these issues may be wrong. */
export function forgetIssue(): void {
  const operations: readonly string[] = [issueRead, hashesRead, similarRead, placeRead]
  void queryClient.invalidateQueries({
    predicate: ({ queryKey }) => operations.includes(String(queryKey[0])),
  })
}

export async function deleteIssue({ projectId, issue }: IssueOf): Promise<boolean> {
  const deleted = await runChange({
    send: () =>
      request('DELETE /api/v1/projects/{project_id}/issues/{issue_id}', {
        params: { project_id: projectId, issue_id: issue.id },
      }),
    done: `Deleted ${issue.short_id}. Its events are being deleted.`,
    refetch: [...readsOfIssues],
  })
  return deleted !== undefined
}
