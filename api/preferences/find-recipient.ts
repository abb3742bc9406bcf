import { findContact, type StoredContact } from '../contacts/contact-store.ts'
import type { ApiContext } from '../context.ts'
import { findNewsletterById } from '../newsletters/newsletter-store.ts'
import { type ContactNewsletter, listContactNewsletters } from './preferences-store.ts'
import { type PageLanguage, pageLanguage } from './words/page-words.ts'

/** The person behind a link to the preferences. */
export interface Recipient {
  readonly contact: StoredContact
  readonly newsletters: readonly ContactNewsletter[]
  /** In the language of the newsletter that the link belongs to. */
  readonly text: PageLanguage
}

/** Undefined when the contact was deleted or erased. */
export async function findRecipient(
  ctx: Pick<ApiContext, 'pg'>,
  contactId: string,
): Promise<Recipient | undefined> {
  const contact = await findContact(ctx.pg, contactId)
  if (contact === undefined) return undefined
  const newsletter = await findNewsletterById(ctx.pg, contact.newsletterId)
  const newsletters = await listContactNewsletters(ctx.pg, contact)
  return { contact, newsletters, text: pageLanguage(newsletter?.locale) }
}
