/**
 * Sends links to the mailbox: to the preferences, to the export of one's data, to its erasure. The
 * links inside of newsletters open none of these, because people forward emails. Links to data
 * expire after an hour.
 */
import { formatContactToken } from '#schemas/mail/contact-token.ts'
import { makeToken } from '../auth/secret.ts'
import { lockAddressById } from '../contacts/address-store.ts'
import { findContact } from '../contacts/contact-store.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { html } from '../http/html-document.ts'
import { findNewsletterById } from '../newsletters/newsletter-store.ts'
import { takeHits } from '../rate-limits/rate-window-store.ts'
import { ownEmailBody } from '../sends/own-email.ts'
import { addSealedSend } from '../sends/send-store.ts'
import type { ContactPage } from './contact-page.ts'
import { addDataRequest } from './data-request-store.ts'
import { type MailedPurpose, mailLinkWords } from './words/mail-link-words.ts'
import { type PageLanguage, pageLanguage } from './words/page-words.ts'

const minuteMs = 60_000
export const dataLinkLifeMs = 60 * minuteMs
const perPurposeMs = 5 * minuteMs
const dayMs = 24 * 60 * minuteMs
const mailsPerDayMax = 10

export type Mailed = 'sent' | 'too_soon' | 'undeliverable'

export function mailLink(
  ctx: Pick<ApiContext, 'pg' | 'apiUrl' | 'box'>,
  asked: { readonly contactId: string; readonly purpose: MailedPurpose; readonly now: Date },
): Promise<Mailed> {
  const { contactId, purpose, now } = asked
  return ctx.pg.transaction(async (pg) => {
    const contact = await findContact(pg, contactId)
    const address = contact && (await lockAddressById(pg, contact.addressId))
    const newsletter = contact && (await findNewsletterById(pg, contact.newsletterId))
    const email = address?.email
    if (!contact || !address || !newsletter || !email || address.suppressionCause === 'hard') {
      return 'undeliverable'
    }
    const windows = [
      { bucket: `mail-link:${purpose}:${address.id}`, hitsMax: 1, windowMs: perPurposeMs },
      { bucket: `mail-link-day:${address.id}`, hitsMax: mailsPerDayMax, windowMs: dayMs },
    ]
    if ((await takeHits(pg, windows, now)).kind === 'full') return 'too_soon'
    const url = await makeLink(pg, ctx, {
      contactId,
      addressId: address.id,
      purpose,
      now,
      locale: newsletter.locale,
    })
    const { subject, ...words } = mailLinkWords(purpose, newsletter)
    await addSealedSend(pg, ctx.box, {
      organizationId: newsletter.organizationId,
      addressId: address.id,
      kind: 'system',
      newsletterId: newsletter.id,
      from: { address: newsletter.fromAddress, name: newsletter.fromName ?? newsletter.name },
      replyTo: newsletter.replyTo,
      to: { address: email },
      subject,
      ...ownEmailBody({ ...words, url }),
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    return 'sent'
  })
}

async function makeLink(
  pg: Database,
  ctx: Pick<ApiContext, 'apiUrl' | 'box'>,
  asked: {
    contactId: string
    addressId: string
    purpose: MailedPurpose
    now: Date
    /** Language of the linked page. The address may belong to newsletters of several languages. */
    locale: string
  },
): Promise<string> {
  const { contactId, addressId, purpose, now, locale } = asked
  if (purpose === 'preferences') {
    const ids = { contactId, campaignId: null }
    const mac = (purposeOfMac: string, message: Uint8Array) => ctx.box.mac(purposeOfMac, message)
    return `${ctx.apiUrl}/preferences/${formatContactToken('preferences', ids, mac)}`
  }
  const { value, hash } = makeToken()
  const expiresAt = new Date(now.getTime() + dataLinkLifeMs)
  await addDataRequest(pg, { tokenHash: hash, addressId, purpose, expiresAt, now })
  const page = purpose === 'export' ? 'data-export' : 'data-erasure'
  return `${ctx.apiUrl}/${page}/${value}?lang=${pageLanguage(locale).language}`
}

export function mailedPage(mailed: Mailed, { words, ...language }: PageLanguage): ContactPage {
  const texts: Readonly<Record<Mailed, readonly [title: string, text: string]>> = {
    sent: [words.mailSentTitle, words.mailSentText],
    too_soon: [words.mailRecentTitle, words.mailRecentText],
    undeliverable: [words.mailNoneTitle, words.mailNoneText],
  }
  const [title, text] = texts[mailed]
  return { ...language, title, body: html`<h1>${title}</h1>\n<p>${text}</p>` }
}
