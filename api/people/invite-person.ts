import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import type { Role } from '../logins/login-store.ts'
import { holdOrganization } from '../organization/organization-store.ts'
import { type DeliveredLink, deliverLink, type LinkDelivery } from './deliver-link.ts'
import { makePersonLink } from './person-link.ts'
import { addMembership, ensurePerson, findMember, type ListedPerson } from './person-store.ts'

export interface InvitePerson {
  readonly email: string
  readonly role: Role
  readonly name: string | null
  readonly delivery: LinkDelivery
}

/**
 * Adds a person to the organization. Someone who has no password yet gets a one-time link to choose
 * one; someone who has one gets an email that they were added.
 */
export async function invitePerson(
  ctx: Pick<ApiContext, 'pg' | 'clock' | 'apiUrl'>,
  actor: Actor,
  { email, role, name, delivery }: InvitePerson,
): Promise<{ person: ListedPerson; delivered: DeliveredLink }> {
  const { organizationId } = actor
  return ctx.pg.transaction(async (client) => {
    if (!(await holdOrganization(client, organizationId))) throw new CodedError('not_found')
    const person = await ensurePerson(client, { email, name })
    const added = await addMembership(client, { organizationId, personId: person.id, role })
    if (added === 'member_already') {
      throw new CodedError('conflict', {
        message: 'This person belongs to the organization already.',
      })
    }
    const link = person.passwordHash === null ? await makePersonLink(client, person, ctx) : null
    await addAudit(client, actor, {
      action: 'person.invited',
      subjectType: 'person',
      subjectId: person.id,
      details: { email: person.email, role },
    })
    const delivered = await deliverLink(client, delivery, { person, organizationId, link })
    const member = await findMember(client, { organizationId, named: person.id })
    return { person: found(member), delivered }
  })
}
