/** Issues of a person or team that goes belong to nobody then, and their activity says why. */
import type { Actor } from '../../audit/audit-store.ts'
import type { Database } from '../../database.ts'
import type { IssueActor } from '../issue-history-store.ts'
import type { PersonOrTeam } from './plan-issue-change.ts'
import { clearAssignee, lockIssuesOf } from './unassign-store.ts'

/**
 * Call it while the row of the person or team is locked, so that none is assigned meanwhile.
 * Returns how many issues there were. They do not enter the triage queue again.
 */
export async function unassignIssues(
  client: Database,
  actor: Actor,
  { owner, reason, at }: { owner: PersonOrTeam; reason: string; at: Date },
): Promise<number> {
  const { organizationId } = actor
  const issueIds = await lockIssuesOf(client, { organizationId, owner })
  if (issueIds.length === 0) return 0
  const from = { type: owner.kind, id: owner.id, name: owner.name }
  const data = { to: null, from, reason }
  await clearAssignee(client, { issueIds, actor: issueActor(actor), data, at })
  return issueIds.length
}

function issueActor({ personId, name, via }: Actor): IssueActor {
  if (personId !== null) return { type: 'person', id: personId, label: name }
  return { type: via === 'token' ? 'token' : 'command_line', id: null, label: name }
}
