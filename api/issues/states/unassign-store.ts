import type { Database } from '../../database.ts'
import type { IssueActor } from '../issue-history-store.ts'
import type { PersonOrTeam } from './plan-issue-change.ts'

const columns = { person: 'assignee', team: 'assignee_team' } as const

/** In the order of their ids, as commits lock them. */
export async function lockIssuesOf(
  client: Database,
  { organizationId, owner }: { organizationId: string; owner: PersonOrTeam },
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select id from issues
     where ${columns[owner.kind]} = $2
       and project_id in (select dsn_id from projects where organization_id = $1)
     order by id for update`,
    [organizationId, owner.id],
  )
  return rows.map(({ id }) => id)
}

export async function clearAssignee(
  client: Database,
  change: { issueIds: readonly string[]; actor: IssueActor; data: object; at: Date },
): Promise<void> {
  await client.query(
    `with cleared as (
       update issues set assignee = null, assignee_team = null where id = any($1::uuid[])
     )
     insert into issue_activity (issue_id, kind, actor, data, at)
     select id, 'assigned', $2, $3, $4 from unnest($1::uuid[]) as issue (id)`,
    [change.issueIds, change.actor, JSON.stringify(change.data), change.at],
  )
}
