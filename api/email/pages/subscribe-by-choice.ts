/** A box that a reader ticked on the preferences page. The caller holds the lock on the address. */
import type { ApiContext } from '../../context.ts'
import type { StoredAddress } from '../../io/address-store.ts'
import {
  addContact,
  addContactEvent,
  changeContact,
  findContactOf,
} from '../../io/contact-store.ts'
import type { Database } from '../../io/database.ts'
import { findNewsletterById } from '../../io/newsletter-store.ts'
import { askToConfirm } from '../contacts/ask-to-confirm.ts'
import { planSignup } from '../contacts/plan-signup.ts'

export async function subscribeByChoice(
  pg: Database,
  ctx: ApiContext,
  choice: {
    readonly newsletterId: string
    readonly address: StoredAddress
    readonly name: string | null
    readonly ip: string
    readonly userAgent: string | null
    readonly now: Date
  },
): Promise<void> {
  const { newsletterId, address, name, ip, userAgent, now } = choice
  const newsletter = await findNewsletterById(pg, newsletterId)
  const { email } = address
  if (newsletter === undefined || email === null) return
  const before = await findContactOf(pg, { newsletterId, addressId: address.id })
  const plan = planSignup({
    before: before?.status,
    // Who has confirmed this newsletter once comes back by a tick; all others confirm what the newsletter wants confirmed.
    confirms: newsletter.confirmSignups && !before?.confirmedAt,
    resubscribe: true,
    suppression: address.suppressionCause,
  })
  const { status, statusBefore } = plan
  const { organizationId } = newsletter
  const fresh = { organizationId, newsletterId, addressId: address.id, attribs: {}, source: null }
  const id = before?.id ?? (await addContact(pg, { ...fresh, status, statusBefore, name, ip, now }))
  if (before !== undefined) {
    await changeContact(pg, { id, status, name: before.name, attribs: before.attribs, now })
  }
  const event = {
    kind: plan.event,
    via: 'preferences',
    ip,
    userAgent,
    details: { status },
  } as const
  await addContactEvent(pg, { contactId: id, ...event, now })
  if (status === 'pending') {
    await askToConfirm(pg, ctx, {
      contactId: id,
      newsletter,
      address: { id: address.id, email },
      now,
    })
  }
}
