/** A box that a reader ticked on the preferences page. The caller holds the lock on the address. */
import type { CompiledEmail } from '#schemas/mail/compiled-email.ts'
import type { StoredAddress } from '../contacts/address-store.ts'
import { type Confirmation, storeSignup } from '../contacts/signup/store-signup.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import type { StoredNewsletter } from '../newsletters/newsletter-store.ts'

export async function subscribeByChoice(
  pg: Database,
  ctx: ApiContext,
  choice: {
    readonly newsletter: StoredNewsletter
    readonly welcome: CompiledEmail | undefined
    readonly address: StoredAddress
    readonly name: string | null
    readonly ip: string
    readonly userAgent: string | null
    readonly now: Date
  },
): Promise<Confirmation> {
  const { newsletter } = choice
  const { confirmation } = await storeSignup(pg, ctx, {
    ...choice,
    // Who has confirmed this newsletter once comes back by a tick; all others confirm what the newsletter wants confirmed.
    confirms: (before) => newsletter.confirmSignups && !before?.confirmedAt,
    resubscribe: true,
    attribs: {},
    source: null,
    via: 'preferences',
  })
  return confirmation
}
