/** The state of issues as a change locks, reads and writes it. */
import type { ProjectId } from '#schemas/ids.ts'
import type { Database } from '../../database.ts'
import type { IssueActor } from '../issue-history-store.ts'
import type { IssueState, LockedIssue, PlannedActivity } from './plan-issue-change.ts'

/** Each column of a state with its type, for the record that an update is written from. */
const stateColumns = {
  status: 'text',
  substatus: 'text',
  assignee: 'uuid',
  assignee_team: 'uuid',
  priority: 'text',
  resolved_at: 'timestamptz',
  resolved_in: 'text',
  resolved_release: 'text',
  resolved_commit: 'text',
  ignored_until: 'timestamptz',
  ignored_until_count: 'bigint',
  ignored_until_users: 'bigint',
  ignored_until_escalating: 'boolean',
  triage_at: 'timestamptz',
  triage_reason: 'text',
  snoozed_until: 'timestamptz',
  escalated_at: 'timestamptz',
  escalation: 'jsonb',
} as const satisfies Record<keyof IssueState, string>

const names = Object.keys(stateColumns)

/** In the order of their ids, as commits lock them. A merged issue is left out. */
export async function lockIssueStates(
  client: Database,
  { projectId, issueIds }: { projectId: ProjectId; issueIds: readonly string[] },
): Promise<LockedIssue[]> {
  const { rows } = await client.query<LockedIssue>(
    `select id, count, ${names.join(', ')} from issues
     where project_id = $1 and id = any($2::uuid[]) and merged_into is null
     order by id for update`,
    [projectId, issueIds],
  )
  return rows
}

export interface ChangedIssue {
  readonly id: string
  readonly next: IssueState
  readonly activities: readonly PlannedActivity[]
}

export async function writeIssueStates(
  client: Database,
  changed: readonly ChangedIssue[],
  { actor, at }: { actor: IssueActor; at: Date },
): Promise<void> {
  await client.query(
    `update issues set ${names.map((name) => `${name} = next.${name}`).join(', ')}
     from jsonb_to_recordset($1::jsonb) as next (id uuid, ${Object.entries(stateColumns)
       .map((column) => column.join(' '))
       .join(', ')})
     where issues.id = next.id`,
    [JSON.stringify(changed.map(({ id, next }) => ({ id, ...next })))],
  )
  const activities = changed.flatMap(({ id, activities }) =>
    activities.map(({ kind, data }) => ({ issue_id: id, kind, data })),
  )
  await client.query(
    `insert into issue_activity (issue_id, kind, actor, data, at)
     select issue_id, kind, $2, data, $3
     from jsonb_to_recordset($1::jsonb) as new (issue_id uuid, kind text, data jsonb)`,
    [JSON.stringify(activities), actor, at],
  )
}
