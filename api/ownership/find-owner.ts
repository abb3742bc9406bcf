/** Finds the person or team that a text names, within the organization of a project. */

import type { ProjectId } from '#schemas/ids.ts'
import type { Database } from '../database.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import type { PersonOrTeam } from '../issues/states/plan-issue-change.ts'

const teamPrefix = 'team:'
const organizationOf = '(select organization_id from projects where dsn_id = $1)'

/**
 * The rows stay locked until the transaction ends, so that a concurrent removal waits and then
 * finds what was assigned. The membership is locked before the person, as a removal does.
 *
 * @param text the id or email address of a member, or `team:<slug>`. Throws `validation_failed`
 * when the organization has no such member or team.
 */
export async function requireOwner(
  client: Database,
  projectId: ProjectId,
  text: string,
): Promise<PersonOrTeam> {
  if (text.startsWith(teamPrefix)) {
    const { rows } = await client.query<{ id: string; name: string }>(
      `select id, name from teams where organization_id = ${organizationOf} and slug = $2
       for key share`,
      [projectId, text.slice(teamPrefix.length)],
    )
    if (rows[0] === undefined)
      throw invalidField('assignee', 'must name a team of the organization')
    return { kind: 'team', ...rows[0] }
  }
  const { rows } = await client.query<{ id: string; name: string }>(
    `select id, coalesce(name, email) as name from memberships
     join people on id = person_id
     where organization_id = ${organizationOf} and (id::text = $2 or email = $2)
     for key share`,
    [projectId, text],
  )
  if (rows[0] === undefined)
    throw invalidField('assignee', 'must name a member of the organization')
  return { kind: 'person', ...rows[0] }
}
