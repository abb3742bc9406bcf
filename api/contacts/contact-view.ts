import type { ContactItem } from '#schemas/rest/email/contact-admin.ts'
import type { Database } from '../database.ts'
import { found } from '../http/route.ts'
import { findListedContact, type ListedContact } from './contact-list-store.ts'

/** Reads a contact as the API replies it, or throws `not_found`. */
export async function readContact(
  pg: Database,
  contact: { readonly organizationId: string; readonly id: string },
): Promise<ContactItem> {
  return contactView(found(await findListedContact(pg, contact)))
}

export function contactView(contact: ListedContact): ContactItem {
  return {
    id: contact.id,
    newsletter: contact.newsletter,
    email: contact.email,
    status: contact.status,
    name: contact.name,
    attribs: contact.attribs,
    source: contact.source,
    createdAt: contact.signupAt.toISOString(),
    confirmedAt: contact.confirmedAt?.toISOString() ?? null,
    unsubscribedAt: contact.unsubscribedAt?.toISOString() ?? null,
    suppressedAt: contact.suppressedAt?.toISOString() ?? null,
    suppressionCause: contact.suppressionCause,
  }
}
