/** What a change makes of an issue, and which change takes it back. */
import type { Body } from '../../../../http/request.ts'
import type { IssueDetail } from '../issue-reads.ts'

export type IssueChange = Body<'PATCH /api/v1/projects/{project_id}/issues/{issue_id}'>

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
