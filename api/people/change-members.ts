/** Who belongs to an organization: coming, changing roles, going. Each runs in one transaction with its entry in the audit log. */
import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import type { Role } from '../logins/login-store.ts'
import { settleCredentialsOf } from '../organization/organization-credential-store.ts'
import { makePersonLink, type PersonLink } from './person-link.ts'
import {
  addMembership,
  ensurePerson,
  findPerson,
  type ListedPerson,
  lockOwners,
  removeMember,
  setRole,
} from './person-store.ts'

type LinkContext = Pick<ApiContext, 'clock' | 'apiUrl'>

/**
 * The link makes its holder this person, in every organization. So owners never see it: it goes to the mailbox. Only the command
 * line, which could change the database anyway, shows it.
 */
export async function invitePerson(
  pg: Database,
  actor: Actor,
  invited: { readonly email: string; readonly role: Role; readonly name: string | null },
  ctx: LinkContext,
): Promise<{ personId: string; link: PersonLink | null }> {
  const { organizationId } = actor
  const person = await ensurePerson(pg, invited)
  const { id: personId } = person
  const added = await addMembership(pg, { organizationId, personId, role: invited.role })
  if (added === 'member_already') {
    throw new CodedError('conflict', {
      message: 'This person belongs to the organization already.',
    })
  }
  const link = person.passwordHash === null ? await makePersonLink(pg, person, ctx) : null
  await addAudit(pg, actor, {
    action: 'person.invited',
    subjectType: 'person',
    subjectId: personId,
    details: { email: person.email, role: invited.role },
  })
  return { personId, link }
}

/** The invitation once more, or the way to another password. */
export async function renewLink(
  pg: Database,
  actor: Actor,
  personId: string,
  ctx: LinkContext,
): Promise<PersonLink> {
  const person = await findPerson(pg, personId)
  if (person === undefined) throw new CodedError('not_found')
  const link = await makePersonLink(pg, person, ctx)
  await addAudit(pg, actor, {
    action: 'person.link_sent',
    subjectType: 'person',
    subjectId: personId,
    details: { kind: link.kind },
  })
  return link
}

export async function changeRole(
  pg: Database,
  actor: Actor,
  change: { readonly person: ListedPerson; readonly role: Role },
): Promise<void> {
  const { person, role } = change
  const { organizationId } = actor
  if (role !== 'owner') await requireAnotherOwner(pg, organizationId, person.id)
  await setRole(pg, { organizationId, personId: person.id, role })
  await addAudit(pg, actor, {
    action: 'person.role_changed',
    subjectType: 'person',
    subjectId: person.id,
    details: { email: person.email, from: person.role, to: role },
  })
}

/** Whoever knew the value of a token or key may have kept it: by default theirs are revoked. */
export async function removePerson(
  pg: Database,
  actor: Actor,
  removal: {
    readonly person: ListedPerson
    readonly credentials: 'revoke' | 'reassign'
    readonly now: Date
  },
): Promise<void> {
  const { organizationId } = actor
  const { person, credentials, now } = removal
  await requireAnotherOwner(pg, organizationId, person.id)
  const credentialCounts = { access_tokens: 0, api_keys: 0 }
  for (const table of ['access_tokens', 'api_keys'] as const) {
    const rows = await settleCredentialsOf(pg, table, {
      ...{ organizationId, createdBy: person.id, now },
      newOwner: credentials === 'reassign' ? { personId: actor.personId } : null,
    })
    credentialCounts[table] = rows.length
    const noun = table === 'access_tokens' ? 'token' : 'api_key'
    for (const { id, prefix, label } of rows) {
      await addAudit(pg, actor, {
        action: `${noun}.${credentials === 'revoke' ? 'revoked' : 'reassigned'}`,
        subjectType: noun,
        subjectId: id,
        details: { prefix, label, created_by: person.email },
      })
    }
  }
  // Before the person may be gone: the entry refers to whoever removed whom.
  await addAudit(pg, actor, {
    action: 'person.removed',
    subjectType: 'person',
    subjectId: person.id,
    details: { email: person.email, role: person.role, credentials, ...credentialCounts },
  })
  await removeMember(pg, { organizationId, personId: person.id })
}

/** Without an owner nobody could ever be let in again. */
async function requireAnotherOwner(
  pg: Database,
  organizationId: string,
  personId: string,
): Promise<void> {
  const owners = await lockOwners(pg, organizationId)
  if (owners.length === 1 && owners[0] === personId) {
    throw new CodedError('conflict', { message: 'An organization needs at least one owner.' })
  }
}
