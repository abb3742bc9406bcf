/**
 * `/confirm/{token}`: the link of a double opt-in. GET shows one button and changes nothing, however often it is opened; only the POST
 * of that button confirms. Who meanwhile unsubscribed, bounced or complained is not revived.
 */
import type { ApiContext } from '../../context.ts'
import type { ApiInstance } from '../../http/route.ts'
import { endSoftRun, lockAddressById, type StoredAddress } from '../../io/address-store.ts'
import { findConfirmToken, useConfirmToken } from '../../io/confirm-token-store.ts'
import {
  addContactEvent,
  confirmContact,
  findContact,
  type StoredContact,
} from '../../io/contact-store.ts'
import type { Database } from '../../io/database.ts'
import { findNewsletterById, type StoredNewsletter } from '../../io/newsletter-store.ts'
import { askToConfirm } from '../contacts/ask-to-confirm.ts'
import { hashConfirmToken } from '../contacts/confirm-token.ts'
import { sendWelcome } from '../contacts/send-welcome.ts'
import { formFields } from './form-body.ts'
import { maskedAddress } from './masked-address.ts'
import { html, type ReaderPage, replyWithPage, replyWithUnknownLink } from './reader-page.ts'
import { whoActs } from './unsubscribe-page.ts'

interface Opened {
  readonly hash: Buffer
  readonly contact: StoredContact
  readonly newsletter: StoredNewsletter
  readonly address: StoredAddress & { readonly email: string }
  /** Whether the button confirms, the contact is confirmed already, the link is too old, or there is nothing to confirm. */
  readonly state: 'open' | 'done' | 'expired' | 'void'
}

export function registerConfirmPage(app: ApiInstance, ctx: ApiContext): void {
  const now = () => new Date(ctx.clock.nowMs())

  app.route<{ Params: { token: string } }>({
    method: 'GET',
    url: '/confirm/:token',
    config: { linkKinds: ['confirm'] },
    schema: { hide: true },
    handler: async (request, reply) => {
      const opened = await ctx.pg.transaction((pg) => open(pg, request.params.token, now()))
      return opened === undefined
        ? replyWithUnknownLink(reply)
        : replyWithPage(reply, pageOf(opened))
    },
  })

  app.route<{ Params: { token: string } }>({
    method: 'POST',
    url: '/confirm/:token',
    config: { linkKinds: ['confirm'] },
    schema: { hide: true },
    handler: async (request, reply) => {
      const action = (await formFields(request)).get('action')
      const who = whoActs(request)
      const after = await ctx.pg.transaction(async (pg) => {
        const opened = await open(pg, request.params.token, now())
        if (opened === undefined) return undefined
        if (action === 'again' && opened.state === 'expired') {
          const { contact, newsletter, address } = opened
          const asked = { contactId: contact.id, newsletter, address, now: now() }
          return { opened, asked: await askToConfirm(pg, ctx, asked) }
        }
        if (opened.state !== 'open') return { opened }
        await confirm(pg, ctx, opened, { ...who, now: now() })
        return { opened: { ...opened, state: 'done' as const } }
      })
      if (after === undefined) return replyWithUnknownLink(reply)
      if (after.asked !== undefined) return replyWithPage(reply, askedPage(after.asked))
      const { opened } = after
      const redirect = opened.newsletter.confirmRedirectUrl
      if (opened.state === 'done' && redirect !== null) return reply.redirect(redirect, 303)
      return replyWithPage(reply, pageOf(opened))
    },
  })
}

/** Locks the address: what else happens to it waits until this is decided. */
async function open(pg: Database, token: string, now: Date): Promise<Opened | undefined> {
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
  const isOld = stored.usedAt !== null || stored.expiresAt <= now
  const address = { ...locked, email }
  return { hash, contact, newsletter, address, state: stateOf(contact, isOld) }
}

function stateOf(contact: StoredContact, isOld: boolean): Opened['state'] {
  switch (contact.status) {
    case 'subscribed':
      return 'done'
    case 'pending':
      return isOld ? 'expired' : 'open'
    case 'unsubscribed':
    case 'bounced':
    case 'complained':
      return 'void'
  }
}

async function confirm(
  pg: Database,
  ctx: ApiContext,
  opened: Opened,
  click: { ip: string; userAgent: string | null; now: Date },
): Promise<void> {
  const { contact, newsletter, address, hash } = opened
  const { id } = contact
  await confirmContact(pg, { id, ...click })
  await useConfirmToken(pg, { hash, now: click.now })
  // The click proves that letters arrive.
  await endSoftRun(pg, address.id)
  await addContactEvent(pg, { contactId: id, kind: 'confirmed', via: 'confirm_page', ...click })
  await sendWelcome(pg, ctx, { contactId: id, newsletter, address })
}

function pageOf({ state, newsletter, address }: Opened): ReaderPage {
  const masked = maskedAddress(address.email)
  const { name, confirmRedirectUrl: leadsTo } = newsletter
  switch (state) {
    case 'open':
      return {
        title: `Confirm your subscription to ${name}`,
        leadsTo,
        body: html`<h1>Subscribe to ${name}?</h1>
<p>It will be sent to <strong>${masked}</strong>.</p>
<form method="post"><button class="act" name="action" value="confirm">Confirm my subscription</button></form>
<p class="soft">You did not ask for it? Close this page, and nothing is sent.</p>`,
      }
    case 'done':
      return {
        title: 'You are subscribed',
        body: html`<h1>You are subscribed</h1><p>${name} will be sent to <strong>${masked}</strong>.</p>`,
      }
    case 'expired':
      return {
        title: 'This link is too old',
        body: html`<h1>This link is too old</h1>
<p>Links to confirm a subscription work for seven days.</p>
<form method="post"><button class="act" name="action" value="again">Send me a new link</button></form>`,
      }
    case 'void':
      return {
        title: 'There is nothing to confirm',
        body: html`<h1>There is nothing to confirm</h1>
<p>${name} is not sent to this address. To get it, sign up again.</p>`,
      }
  }
}

function askedPage(asked: 'sent' | 'too_soon'): ReaderPage {
  return asked === 'sent'
    ? {
        title: 'A new link is on its way',
        body: html`<h1>A new link is on its way</h1><p>Look into your mailbox in a minute.</p>`,
      }
    : {
        title: 'A link was sent not long ago',
        body: html`<h1>A link was sent not long ago</h1>
<p>Look into your mailbox, also among the junk. You can ask for another one later.</p>`,
      }
}
