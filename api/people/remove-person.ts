import { nameRecipientById } from '../alerts/recipients/recipient-store.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { credentialNouns, settleCredentialsOf } from '../credentials/credential-store.ts'
import type { Database } from '../database.ts'
import { found } from '../http/route.ts'
import { unassignIssues } from '../issues/states/unassign-issues.ts'
import { findMember, type ListedPerson, lockPerson, removeMember } from './person-store.ts'
import { requireAnotherOwner } from './require-another-owner.ts'

export interface RemovePerson {
  readonly personId: string
  /**
   * The person may have kept copies of the access tokens and API keys that they created. `revoke`
   * revokes them, `reassign` makes the actor their creator.
   */
  readonly credentials: 'revoke' | 'reassign'
}

/**
 * Removes a member, ends their logins and takes their issues from them. A person without any
 * organization left is deleted.
 */
export async function removePerson(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { personId, credentials }: RemovePerson,
): Promise<ListedPerson> {
  const { organizationId } = actor
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (client) => {
    const person = found(await findMember(client, { organizationId, named: personId }))
    await requireAnotherOwner(client, organizationId, personId)
    await lockPerson(client, { organizationId, personId })
    const owner = { kind: 'person', id: personId, name: person.name ?? person.email } as const
    const reason = 'The person was removed from the organization.'
    const issues = await unassignIssues(client, actor, { owner, reason, at: now })
    const counts = {
      unassigned_issues: issues,
      ...(await settleCredentials(client, actor, { person, credentials, now })),
    }
    // The entry refers to the actor, who may be the removed person, so it is written before the
    // person is deleted.
    await addAudit(client, actor, {
      action: 'person.removed',
      subjectType: 'person',
      subjectId: personId,
      details: { email: person.email, role: person.role, credentials, ...counts },
    })
    await nameRecipientById(client, { organizationId, personId, email: person.email })
    await removeMember(client, { organizationId, personId })
    return person
  })
}

async function settleCredentials(
  client: Database,
  actor: Actor,
  removal: { person: ListedPerson; credentials: 'revoke' | 'reassign'; now: Date },
): Promise<{ access_tokens: number; api_keys: number }> {
  const { person, credentials, now } = removal
  const counts = { access_tokens: 0, api_keys: 0 }
  for (const table of ['access_tokens', 'api_keys'] as const) {
    const settled = await settleCredentialsOf(client, table, {
      organizationId: actor.organizationId,
      createdBy: person.id,
      newOwner: credentials === 'reassign' ? { personId: actor.personId } : null,
      now,
    })
    counts[table] = settled.length
    const noun = credentialNouns[table]
    for (const { id, prefix, label } of settled) {
      await addAudit(client, actor, {
        action: `${noun}.${credentials === 'revoke' ? 'revoked' : 'reassigned'}`,
        subjectType: noun,
        subjectId: id,
        details: { prefix, label, created_by: person.email },
      })
    }
  }
  return counts
}
