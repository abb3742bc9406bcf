/** Saves the preferences page: the name and the newsletters that a person chose. */
import type { CompiledEmail } from '#schemas/mail/compiled-email.ts'
import { lockAddressById, type StoredAddress } from '../contacts/address-store.ts'
import { composeWelcome } from '../contacts/signup/send-welcome.ts'
import { type Confirmation, storeSignup } from '../contacts/signup/store-signup.ts'
import { unsubscribe } from '../contacts/unsubscribe.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { findNewsletterById, type StoredNewsletter } from '../newsletters/newsletter-store.ts'
import type { Recipient } from './find-recipient.ts'
import { type ContactNewsletter, renameContacts } from './preferences-store.ts'
import type { Visitor } from './visitor.ts'

type SaveContext = Pick<ApiContext, 'pg' | 'clock' | 'apiUrl' | 'box' | 'composer' | 'log'>

interface Chosen {
  readonly recipient: Recipient
  readonly name: string | null
  /** Ids of newsletters. Only those that the page showed count. */
  readonly chosen: ReadonlySet<string>
}

interface Wanted {
  readonly newsletter: StoredNewsletter
  readonly welcome: CompiledEmail | undefined
}

/** Returns whether a confirmation email was sent, was sent recently, or is not needed. */
export async function savePreferences(
  ctx: SaveContext,
  visitor: Visitor,
  { recipient, name, chosen }: Chosen,
): Promise<Confirmation> {
  const { addressId } = recipient.contact
  await renameContacts(ctx.pg, { addressId, name, now: new Date(ctx.clock.nowMs()) })
  return choose(ctx, visitor, { recipient, name, chosen })
}

export async function unsubscribeFromAll(
  ctx: SaveContext,
  visitor: Visitor,
  recipient: Recipient,
): Promise<void> {
  await choose(ctx, visitor, { recipient, name: null, chosen: new Set() })
}

async function choose(
  ctx: SaveContext,
  visitor: Visitor,
  { recipient: { contact, newsletters }, name, chosen }: Chosen,
): Promise<Confirmation> {
  const now = new Date(ctx.clock.nowMs())
  const act = { ...visitor, via: 'preferences', now } as const
  const wanted = await composeWelcomes(ctx, newsletters, chosen)
  return ctx.pg.transaction(async (pg) => {
    let asked: Confirmation = 'none'
    const address = await lockAddressById(pg, contact.addressId)
    if (address === undefined) return asked
    for (const { id: newsletterId, contactId, status } of newsletters) {
      const gets = status === 'subscribed' || status === 'pending'
      const joined = wanted.get(newsletterId)
      if (joined !== undefined && !gets) {
        const confirmation = await subscribe(pg, ctx, { ...joined, address, name, ...act })
        if (asked !== 'sent' && confirmation !== 'none') asked = confirmation
      }
      if (!chosen.has(newsletterId) && gets && contactId !== null) {
        await unsubscribe(pg, { ...act, contactId })
      }
    }
    return asked
  })
}

/** The caller holds the lock on the address. */
async function subscribe(
  pg: Database,
  ctx: SaveContext,
  choice: Wanted &
    Visitor & {
      readonly address: StoredAddress
      readonly name: string | null
      readonly via: 'preferences'
      readonly now: Date
    },
): Promise<Confirmation> {
  const { confirmSignups } = choice.newsletter
  const { confirmation } = await storeSignup(pg, ctx, {
    ...choice,
    // A contact that confirmed this newsletter before need not confirm it again.
    confirms: (before) => confirmSignups && !before?.confirmedAt,
    resubscribe: true,
    attribs: {},
    source: null,
  })
  return confirmation
}

/**
 * Finds the newsletters that are chosen and not received yet, by id. Runs outside of the
 * transaction, because composing may wait for a thread.
 */
async function composeWelcomes(
  ctx: SaveContext,
  newsletters: readonly ContactNewsletter[],
  chosen: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Wanted>> {
  const wanted = new Map<string, Wanted>()
  for (const { id, status } of newsletters) {
    if (!chosen.has(id) || status === 'subscribed' || status === 'pending') continue
    const newsletter = await findNewsletterById(ctx.pg, id)
    if (newsletter === undefined) continue
    wanted.set(id, { newsletter, welcome: await composeWelcome(ctx, newsletter) })
  }
  return wanted
}
