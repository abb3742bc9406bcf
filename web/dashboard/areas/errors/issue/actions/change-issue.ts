/** Changes of one issue: shown at once, sent, and undone by the opposite change. */
import { editItems, editReply } from '../../../../http/edit-cache.ts'
import { queryClient } from '../../../../http/query-client.ts'
import { type Body, request } from '../../../../http/request.ts'
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

const patchIssue = 'PATCH /api/v1/projects/{project_id}/issues/{issue_id}'
export type IssueChange = Body<typeof patchIssue>

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

/** What the reply will say, as far as the page shows it before it is there. */
export function expectedOf(change: IssueChange): Partial<IssueDetail> {
  const status = statusOf(change)
  return {
    ...(status === undefined
      ? {}
      : {
          status,
          substatus: status === 'unresolved' ? ('ongoing' as const) : null,
          triage: null,
        }),
    ...(status === undefined || status === 'resolved' ? {} : { resolution: null }),
    ...(status === undefined || status === 'ignored' ? {} : { ignore_until: null }),
    ...(change.reviewed === true || (change.assignee ?? null) !== null ? { triage: null } : {}),
    ...(change.priority === undefined || change.priority === null
      ? {}
      : { priority: change.priority }),
    ...(change.assignee === null ? { assignee: null, assignee_team: null } : {}),
  }
}

function statusOf({ status, resolved_in, ignore_until }: IssueChange) {
  if (status !== undefined) return status
  if (resolved_in !== undefined) return 'resolved' as const
  return ignore_until === undefined ? undefined : ('ignored' as const)
}

type Before = Pick<
  IssueDetail,
  'status' | 'resolution' | 'ignore_until' | 'assignee' | 'assignee_team' | 'priority' | 'count'
>

/** The change that takes a change back; undefined when the API has none, as for a review. */
export function undoOf(before: Before, change: IssueChange): IssueChange | undefined {
  const undo: Record<string, unknown> = {}
  if (statusOf(change) !== undefined) Object.assign(undo, formerStatus(before))
  if (change.assignee !== undefined) {
    const team = before.assignee_team
    undo['assignee'] = before.assignee?.id ?? (team === null ? null : `team:${team.slug}`)
  }
  if (change.priority !== undefined) undo['priority'] = before.priority
  return Object.keys(undo).length === 0 ? undefined : (undo as IssueChange)
}

function formerStatus({ status, resolution, ignore_until: until, count }: Before): object {
  if (status === 'resolved') {
    const { in: where, release, commit } = resolution ?? { in: 'now' }
    const exact = where === 'release' ? release : where === 'commit' && `commit:${commit}`
    return { status, resolved_in: exact || (where === 'next_release' ? where : 'now') }
  }
  if (status === 'unresolved' || until === null) return { status }
  // The count at which it returns becomes a number of further events again.
  const events = until.events === null ? undefined : Math.max(1, until.events - count)
  const former = {
    ...(until.at === null ? {} : { at: until.at }),
    ...(events === undefined ? {} : { events }),
    ...(until.users === null ? {} : { users: until.users }),
    ...(until.escalating ? { escalating: true } : {}),
  }
  return { status, ignore_until: former }
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
