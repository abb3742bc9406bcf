/**
 * `/confirm/{token}`: the link of a double opt-in. GET shows one button and changes nothing, however often it is opened; only the POST
 * of that button confirms. Who meanwhile unsubscribed, bounced or complained is not revived.
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
import type { ApiInstance } from '../http/route.ts'
import { findNewsletterById, type StoredNewsletter } from '../newsletters/newsletter-store.ts'
import { type ContactPage, html, replyWithPage, replyWithUnknownLink } from './contact-page.ts'
import { formFields } from './form-body.ts'
import { maskedAddress } from './masked-address.ts'
import { whoActs } from './unsubscribe-page.ts'
import { fillMarkup, fillWords, pageLanguage } from './words/page-words.ts'

interface Opened {
  readonly hash: Buffer
  readonly contact: StoredContact
  readonly newsletter: StoredNewsletter
  readonly address: StoredAddress & { readonly email: string }
  /**
   * Whether the button confirms, the contact is confirmed already, the link has expired, it confirmed an earlier signup, or there is
   * nothing to confirm.
   */
  readonly state: 'open' | 'done' | 'expired' | 'superseded' | 'void'
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
      const seen = await ctx.pg.transaction((pg) => open(pg, request.params.token, now()))
      const welcome =
        seen?.state === 'open' ? await composeWelcome(ctx, seen.newsletter) : undefined
      const after = await ctx.pg.transaction(async (pg) => {
        const opened = await open(pg, request.params.token, now())
        if (opened === undefined) return undefined
        const isOld = opened.state === 'expired' || opened.state === 'superseded'
        if (action === 'again' && isOld) {
          const { contact, newsletter, address } = opened
          const asked = { contactId: contact.id, newsletter, address, now: now() }
          return { opened, asked: await askToConfirm(pg, ctx, asked) }
        }
        if (opened.state !== 'open') return { opened }
        await confirm(pg, ctx, opened, { ...who, now: now() }, welcome)
        return { opened: { ...opened, state: 'done' as const } }
      })
      if (after === undefined) return replyWithUnknownLink(reply)
      const { opened, asked } = after
      if (asked !== undefined) return replyWithPage(reply, askedPage(asked, opened.newsletter))
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
  const address = { ...locked, email }
  return { hash, contact, newsletter, address, state: stateOf(contact, stored, now) }
}

function stateOf(
  contact: StoredContact,
  { usedAt, expiresAt }: StoredConfirmToken,
  now: Date,
): Opened['state'] {
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
  ctx: ApiContext,
  opened: Opened,
  click: { ip: string; userAgent: string | null; now: Date },
  welcome: CompiledEmail | undefined,
): Promise<void> {
  const { contact, newsletter, address, hash } = opened
  const { id } = contact
  await confirmContact(pg, { id, ...click })
  await useConfirmToken(pg, { hash, now: click.now })
  // The click proves that letters arrive.
  await endSoftRun(pg, address.id)
  await addContactEvent(pg, { contactId: id, kind: 'confirmed', via: 'confirm_page', ...click })
  await sendWelcome(pg, ctx, { contactId: id, newsletter, address, email: welcome })
}

function pageOf({ state, newsletter, address: { email } }: Opened): ContactPage {
  const { name, locale, confirmRedirectUrl: leadsTo } = newsletter
  const { words, ...language } = pageLanguage(locale)
  const values = { name, address: maskedAddress(email) }
  const newLink = html`<form method="post"><button class="act" name="action" value="again">${words.newLinkButton}</button></form>`
  switch (state) {
    case 'open':
      return {
        ...language,
        title: fillWords(words.confirmTitle, values),
        leadsTo,
        body: html`<h1>${fillMarkup(words.confirmHeading, values)}</h1>
<p>${fillMarkup(words.confirmTo, values)}</p>
<form method="post"><button class="act" name="action" value="confirm">${words.confirmButton}</button></form>
<p class="soft">${words.confirmIgnore}</p>`,
      }
    case 'done':
      return {
        ...language,
        title: words.confirmedTitle,
        body: html`<h1>${words.confirmedTitle}</h1><p>${fillMarkup(words.confirmedText, values)}</p>`,
      }
    case 'expired':
      return {
        ...language,
        title: words.expiredTitle,
        body: html`<h1>${words.expiredTitle}</h1>
<p>${words.expiredText}</p>
${newLink}`,
      }
    case 'superseded':
      return {
        ...language,
        title: words.supersededTitle,
        body: html`<h1>${words.supersededTitle}</h1>
<p>${words.supersededText}</p>
${newLink}`,
      }
    case 'void':
      return {
        ...language,
        title: words.voidTitle,
        body: html`<h1>${words.voidTitle}</h1>
<p>${fillMarkup(words.voidText, values)}</p>`,
      }
  }
}

function askedPage(asked: 'sent' | 'too_soon', { locale }: StoredNewsletter): ContactPage {
  const { words, ...language } = pageLanguage(locale)
  const [title, text] =
    asked === 'sent'
      ? [words.linkSentTitle, words.linkSentText]
      : [words.linkRecentTitle, words.linkRecentText]
  return { ...language, title, body: html`<h1>${title}</h1><p>${text}</p>` }
}
