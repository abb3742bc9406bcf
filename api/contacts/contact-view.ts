import type { ContactItem } from '#schemas/rest/email/contact-admin.ts'
import type { ListedContact } from './contact-lists.ts'

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
