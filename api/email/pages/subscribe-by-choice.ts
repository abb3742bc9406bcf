/** A box that a reader ticked on the preferences page. The caller holds the lock on the address. */
import type { ApiContext } from '../../context.ts'
import type { StoredAddress } from '../../io/address-store.ts'
import type { Database } from '../../io/database.ts'
import { findNewsletterById } from '../../io/newsletter-store.ts'
import { storeSignup } from '../contacts/store-signup.ts'

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
  const { newsletterId, ...who } = choice
  const newsletter = await findNewsletterById(pg, newsletterId)
  if (newsletter === undefined) return
  await storeSignup(pg, ctx, {
    ...who,
    newsletter,
    // Who has confirmed this newsletter once comes back by a tick; all others confirm what the newsletter wants confirmed.
    confirms: (before) => newsletter.confirmSignups && !before?.confirmedAt,
    resubscribe: true,
    attribs: {},
    source: null,
    via: 'preferences',
  })
}
