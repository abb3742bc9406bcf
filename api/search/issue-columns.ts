/** What is computed of the columns of `issues i`, the same for lists, searches and the queue. */

/** Escalating is a mark beside the stored substatus (migration 0040). An index has it (0052). */
export const substatus = `case when i.status = 'unresolved' and i.escalated_at is not null then 'escalating' else i.substatus end`

/** As a person set it, else by the level. */
export const priority = `coalesce(i.priority,
  case when i.level in ('fatal', 'error') then 'high' when i.level = 'warning' then 'medium' else 'low' end)`

export const unassigned = '(i.assignee is null and i.assignee_team is null)'

/** @param condition on columns of `teams`, such as `slug = $1`; teams have the name `team`. */
export function assignedToTeam(condition: string): string {
  return `i.assignee_team in (
    select team.id from teams team join projects using (organization_id)
    where dsn_id = i.project_id and ${condition})`
}

/** @param now the current time as an expression of SQL. */
export function inTriage(now: string): string {
  return `(i.triage_at is not null and i.status = 'unresolved' and i.merged_into is null
    and (i.snoozed_until is null or i.snoozed_until <= ${now}))`
}
