import type { PoolClient } from '#platform/postgres.ts'
import type { IssueChange } from '../commit/assign-issues.ts'

/**
 * Assigns new issues to the owners that the rules of their project name: of each issue to the first
 * one that is a member or a team of the organization. The issues stay in the triage queue. One
 * query. A person or team that is being deleted gets none.
 */
export async function assignOwners(
  client: PoolClient,
  changes: readonly IssueChange[],
): Promise<void> {
  const wanted = changes.flatMap(({ isNew, issueId, sum }) =>
    isNew
      ? sum.owners.map((name, rank) => ({ issueId, projectId: sum.projectId, name, rank }))
      : [],
  )
  if (wanted.length === 0) return
  await client.query(
    `with wanted as (
       select issue_id, organization_id, owner_name, rank
       from unnest($1::uuid[], $2::bigint[], $3::text[], $4::int[]) as given (issue_id, project_id, owner_name, rank)
       join projects on dsn_id = project_id
     ), members as materialized (
       select issue_id, rank, person.id, coalesce(person.name, person.email) as name
       from wanted join people person on person.email = owner_name
       join memberships using (organization_id)
       where memberships.person_id = person.id
       for key share of person skip locked
     ), named_teams as materialized (
       select issue_id, rank, team.id, team.name
       from wanted join teams team using (organization_id)
       where owner_name like '#%' and team.slug = substr(owner_name, 2)
       for key share of team skip locked
     ), owner as (
       select distinct on (issue_id) issue_id, type, id, name
       from (
         select 'person' as type, members.* from members
         union all select 'team', named_teams.* from named_teams
       ) found order by issue_id, rank
     ), assigned as (
       update issues set
         assignee = case when type = 'person' then owner.id end,
         assignee_team = case when type = 'team' then owner.id end
       from owner where issues.id = issue_id
     )
     insert into issue_activity (issue_id, kind, actor, data)
     select issue_id, 'assigned', '{"type": "system", "label": "ownership rules"}',
       jsonb_build_object('to', jsonb_build_object('type', type, 'id', id, 'name', name))
     from owner order by issue_id`,
    [
      wanted.map(({ issueId }) => issueId),
      wanted.map(({ projectId }) => projectId),
      wanted.map(({ name }) => name),
      wanted.map(({ rank }) => rank),
    ],
  )
}
