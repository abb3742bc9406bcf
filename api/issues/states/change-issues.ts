/** Changes the state of issues of one project in one transaction, and writes their activity. */
import type { ProjectId } from '#schemas/ids.ts'
import type { IssueChange } from '#schemas/rest/issue.ts'
import type { Database } from '../../database.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import { requireOwner } from '../../ownership/find-owner.ts'
import type { StoredProject } from '../../projects/project-store.ts'
import { findNewestRelease } from '../../releases/newest-release.ts'
import type { IssueActor } from '../issue-history-store.ts'
import { lockIssueStates, writeIssueStates } from './issue-change-store.ts'
import { planIssueChange } from './plan-issue-change.ts'

export interface ChangeResult {
  /** Ids of the given issues that exist and are not merged. */
  readonly matched: readonly string[]
  readonly changedCount: number
}

/**
 * An issue that has the state already is matched and not changed. Throws `validation_failed` when
 * `assignee` names nobody of the organization, or a time has passed.
 */
export async function changeIssues(
  client: Database,
  actor: IssueActor,
  input: {
    readonly project: Pick<StoredProject, 'dsnId'>
    readonly issueIds: readonly string[]
    readonly change: IssueChange
    readonly at: Date
  },
): Promise<ChangeResult> {
  const { project, issueIds, change, at } = input
  requireFuture('ignore_until.at', change.ignore_until?.at, at)
  requireFuture('snooze_until', change.snooze_until, at)
  const projectId: ProjectId = project.dsnId
  const owner =
    change.assignee == null ? undefined : await requireOwner(client, projectId, change.assignee)
  // Issues are locked last and for as short a time as possible: commits wait for them.
  const resolves = change.status === 'resolved' || change.resolved_in !== undefined
  const newestRelease = resolves ? await findNewestRelease(client, projectId) : undefined
  const issues = await lockIssueStates(client, { projectId, issueIds })
  const changed = issues
    .map((issue) => ({
      id: issue.id,
      ...planIssueChange(issue, change, { at, newestRelease, owner }),
    }))
    .filter(({ activities }) => activities.length > 0)
  if (changed.length > 0) await writeIssueStates(client, changed, { actor, at })
  return { matched: issues.map(({ id }) => id), changedCount: changed.length }
}

function requireFuture(field: string, time: string | null | undefined, at: Date): void {
  if (time != null && Date.parse(time) <= at.getTime()) {
    throw invalidField(field, 'must be a time in the future')
  }
}
