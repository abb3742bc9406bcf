/**
 * The double opt-in behind a link of a confirmation email. Only a pending contact can be confirmed:
 * a contact that has unsubscribed, bounced or complained since then keeps its status.
 */
import type { CompiledEmail } from '#schemas/mail/compiled-email.ts'
import { endSoftRun, lockAddressById, type StoredAddress } from '../contacts/address-store.ts'
import {
  findConfirmToken,
  type StoredConfirmToken,
  useConfirmToken,
} from '../contacts/confirm-token-store.ts'
import {
  addContactEvent,
  confirmContact,
  findContact,
  type StoredContact,
} from '../contacts/contact-store.ts'
import { askToConfirm } from '../contacts/signup/ask-to-confirm.ts'
import { hashConfirmToken } from '../contacts/signup/confirm-token.ts'
import { composeWelcome, sendWelcome } from '../contacts/signup/send-welcome.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { findNewsletterById, type StoredNewsletter } from '../newsletters/newsletter-store.ts'
import type { Visitor } from './visitor.ts'

export interface Confirmation {
  readonly hash: Buffer
  readonly contact: StoredContact
  readonly newsletter: StoredNewsletter
  readonly address: StoredAddress & { readonly email: string }
  /**
   * - open: the button confirms.
   * - done: the contact is confirmed already.
   * - expired: the link is too old.
   * - superseded: the link confirmed an earlier signup.
   * - void: the contact is not pending, so there is nothing to confirm.
   */
  readonly state: 'open' | 'done' | 'expired' | 'superseded' | 'void'
}

type ConfirmContext = Pick<ApiContext, 'pg' | 'clock' | 'apiUrl' | 'box' | 'composer' | 'log'>

/** Reads what the link confirms and changes nothing. Undefined when the link is unknown. */
export function openConfirmation(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  { token }: { readonly token: string },
): Promise<Confirmation | undefined> {
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction((pg) => open(pg, token, now))
}

/** Confirms the contact when the link is open; else nothing changes. */
export async function confirmSignup(
  ctx: ConfirmContext,
  visitor: Visitor,
  { token }: { readonly token: string },
): Promise<Confirmation | undefined> {
  const now = new Date(ctx.clock.nowMs())
  const seen = await openConfirmation(ctx, { token })
  // Outside of the transaction that confirms, because composing may wait for a thread.
  const welcome = seen?.state === 'open' ? await composeWelcome(ctx, seen.newsletter) : undefined
  return ctx.pg.transaction(async (pg) => {
    const opened = await open(pg, token, now)
    if (opened?.state !== 'open') return opened
    await confirm(pg, ctx, opened, { ...visitor, now }, welcome)
    return { ...opened, state: 'done' as const }
  })
}

/** Sends a new link when the old one has expired or was used; undefined for any other link. */
export function requestNewLink(
  ctx: ConfirmContext,
  { token }: { readonly token: string },
): Promise<{ asked: 'sent' | 'too_soon'; newsletter: StoredNewsletter } | undefined> {
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    const opened = await open(pg, token, now)
    if (opened?.state !== 'expired' && opened?.state !== 'superseded') return undefined
    const { contact, newsletter, address } = opened
    const asked = await askToConfirm(pg, ctx, { contactId: contact.id, newsletter, address, now })
    return { asked, newsletter }
  })
}

/** Locks the address, so that other changes of the contact wait until this one is decided. */
async function open(pg: Database, token: string, now: Date): Promise<Confirmation | undefined> {
  const hash = hashConfirmToken(token)
  if (hash === undefined) return undefined
  const stored = await findConfirmToken(pg, hash)
  const seen = stored && (await findContact(pg, stored.contactId))
  const locked = seen && (await lockAddressById(pg, seen.addressId))
  const contact = seen && (await findContact(pg, seen.id))
  const newsletter = contact && (await findNewsletterById(pg, contact.newsletterId))
  if (!stored || !locked || !contact || !newsletter) return undefined
  const { email } = locked
  if (email === null) return undefined
  const address = { ...locked, email }
  return { hash, contact, newsletter, address, state: stateOf(contact, stored, now) }
}

function stateOf(
  contact: StoredContact,
  { usedAt, expiresAt }: StoredConfirmToken,
  now: Date,
): Confirmation['state'] {
  switch (contact.status) {
    case 'subscribed':
      return 'done'
    case 'pending':
      if (usedAt !== null) return 'superseded'
      return expiresAt <= now ? 'expired' : 'open'
    case 'unsubscribed':
    case 'bounced':
    case 'complained':
      return 'void'
  }
}

async function confirm(
  pg: Database,
  ctx: Pick<ApiContext, 'apiUrl' | 'box'>,
  opened: Confirmation,
  click: Visitor & { readonly now: Date },
  welcome: CompiledEmail | undefined,
): Promise<void> {
  const { contact, newsletter, address, hash } = opened
  const { id } = contact
  await confirmContact(pg, { id, ...click })
  await useConfirmToken(pg, { hash, now: click.now })
  // The click proves that emails arrive.
  await endSoftRun(pg, address.id)
  await addContactEvent(pg, { contactId: id, kind: 'confirmed', via: 'confirm_page', ...click })
  await sendWelcome(pg, ctx, { contactId: id, newsletter, address, email: welcome })
}
