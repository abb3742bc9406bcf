import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { type DeliveredLink, deliverLink, type LinkDelivery } from './deliver-link.ts'
import { makePersonLink } from './person-link.ts'
import { findMember, findPerson, type ListedPerson } from './person-store.ts'

const undeliverable =
  'Emails to this person are returned as undeliverable. Lift the suppression of the address, or create the link on the command line: npm run admin -- person link.'

export interface RenewPersonLink {
  readonly personId: string
  readonly delivery: LinkDelivery
}

/**
 * Creates a new one-time link for a member: the invitation again, or the way to another password.
 * Earlier links of the person stop working.
 */
export async function renewPersonLink(
  ctx: Pick<ApiContext, 'pg' | 'clock' | 'apiUrl'>,
  actor: Actor,
  { personId, delivery }: RenewPersonLink,
): Promise<{ person: ListedPerson; delivered: DeliveredLink }> {
  const { organizationId } = actor
  return ctx.pg.transaction(async (client) => {
    const person = found(await findMember(client, { organizationId, named: personId }))
    const link = await makePersonLink(client, found(await findPerson(client, personId)), ctx)
    await addAudit(client, actor, {
      action: 'person.link_sent',
      subjectType: 'person',
      subjectId: personId,
      details: { kind: link.kind },
    })
    const delivered = await deliverLink(client, delivery, { person, organizationId, link })
    if (delivered.kind === 'undeliverable') {
      throw new CodedError('suppressed', { message: undeliverable })
    }
    return { person, delivered }
  })
}
