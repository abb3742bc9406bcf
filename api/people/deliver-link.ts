/**
 * Delivers one-time links. A link logs its holder in as its person, in every organization, so
 * owners never see it: it is sent to the mailbox of the person. Only the command line prints it,
 * because the operator could change the database anyway.
 */
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { sendPersonEmail } from './person-emails.ts'
import type { PersonLink } from './person-link.ts'

export type LinkDelivery =
  | { readonly kind: 'email'; readonly mail: Pick<ApiContext, 'mailFrom' | 'apiUrl' | 'box'> }
  | { readonly kind: 'returned' }

export type DeliveredLink =
  | { readonly kind: 'queued' }
  | { readonly kind: 'undeliverable' }
  | { readonly kind: 'returned'; readonly link: PersonLink | null }

/** Call within the transaction that creates the link. */
export async function deliverLink(
  client: Database,
  delivery: LinkDelivery,
  message: Parameters<typeof sendPersonEmail>[1],
): Promise<DeliveredLink> {
  if (delivery.kind === 'returned') return { kind: 'returned', link: message.link }
  return { kind: await sendPersonEmail(client, message, delivery.mail) }
}
