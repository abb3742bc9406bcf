import type { ContactDetail } from '#schemas/rest/email/contact-admin.ts'
import type { ApiContext } from '../context.ts'
import { found, requireUuid } from '../http/route.ts'
import { findListedContact, listContactEvents } from './contact-list-store.ts'
import { contactView } from './contact-view.ts'

const eventsMax = 200

/** Reads a contact with its newest events, or throws `not_found`. */
export async function getContact(
  ctx: Pick<ApiContext, 'pg'>,
  asked: { readonly organizationId: string; readonly contactId: string },
): Promise<ContactDetail> {
  const id = requireUuid(asked.contactId)
  const { organizationId } = asked
  const contact = found(await findListedContact(ctx.pg, { organizationId, id }))
  const events = await listContactEvents(ctx.pg, { contactId: id, rowsMax: eventsMax })
  return {
    ...contactView(contact),
    signupIp: contact.signupIp,
    confirmedIp: contact.confirmedIp,
    confirmedUserAgent: contact.confirmedUserAgent,
    events: events.map((event) => ({ ...event, at: event.at.toISOString() })),
  }
}
