/**
 * `/preferences/{token}`: a subscriber's name and which newsletters of the organization they get. An export of their data and its
 * erasure are asked for here and confirmed by a link that is sent to the mailbox.
 */
import type { CompiledEmail } from '#schemas/mail/compiled-email.ts'
import type { ReadContactToken } from '#schemas/mail/contact-token.ts'
import { ContactName } from '#schemas/rest/email/contact.ts'
import { contactTokenOf, type LinkKind } from '../auth/link-kinds.ts'
import { lockAddressById } from '../contacts/address-store.ts'
import { findContact, type StoredContact } from '../contacts/contact-store.ts'
import {
  type ContactNewsletter,
  listContactNewsletters,
  renameContact,
} from '../contacts/person-data-store.ts'
import { composeWelcome } from '../contacts/signup/send-welcome.ts'
import type { Confirmation } from '../contacts/signup/store-signup.ts'
import { unsubscribe } from '../contacts/unsubscribe.ts'
import type { ApiContext } from '../context.ts'
import type { ApiInstance } from '../http/route.ts'
import { findNewsletterById, type StoredNewsletter } from '../newsletters/newsletter-store.ts'
import { findTrackedCampaign } from '../tracking/tracking-store.ts'
import { type ContactPage, html, replyWithPage, replyWithUnknownLink } from './contact-page.ts'
import { formFields } from './form-body.ts'
import { mailedPage, mailLink } from './mail-link.ts'
import { preferencesPage } from './preferences-form.ts'
import { subscribeByChoice } from './subscribe-by-choice.ts'
import { whoActs } from './unsubscribe-page.ts'
import type { MailedPurpose } from './words/mail-link-words.ts'
import { type PageLanguage, type PageWords, pageLanguage } from './words/page-words.ts'

const linkKinds: readonly LinkKind[] = ['preferences', 'legacy']

interface Recipient {
  readonly contact: StoredContact
  readonly newsletters: readonly ContactNewsletter[]
  readonly text: PageLanguage
}

const savedWords = { none: 'saved', sent: 'savedAndSent', too_soon: 'savedAndRecent' } as const

export function registerPreferencesPage(app: ApiInstance, ctx: ApiContext): void {
  app.route<{ Params: { token: string } }>({
    method: 'GET',
    url: '/preferences/:token',
    config: { linkKinds },
    schema: { hide: true },
    handler: async (request, reply) => {
      const link = contactTokenOf(request, request.params.token, ctx)
      if (link === undefined) return replyWithUnknownLink(reply)
      const recipient = await findRecipient(ctx, link.ids.contactId)
      if (await mayBeTracked(ctx, link)) {
        return replyWithPage(reply, askForLinkPage(recipient?.text ?? pageLanguage(undefined)))
      }
      return replyWithPage(
        reply,
        recipient === undefined ? nothingPage : preferencesPage(recipient),
      )
    },
  })

  app.route<{ Params: { token: string } }>({
    method: 'POST',
    url: '/preferences/:token',
    config: { linkKinds },
    schema: { hide: true },
    handler: async (request, reply) => {
      const link = contactTokenOf(request, request.params.token, ctx)
      if (link === undefined) return replyWithUnknownLink(reply)
      const { contactId } = link.ids
      const recipient = await findRecipient(ctx, contactId)
      const mail = async (purpose: MailedPurpose) => {
        const now = new Date(ctx.clock.nowMs())
        const mailed = await mailLink(ctx, { contactId, purpose, now })
        return replyWithPage(reply, mailedPage(mailed, recipient?.text ?? pageLanguage(undefined)))
      }
      if (await mayBeTracked(ctx, link)) return mail('preferences')
      const fields = await formFields(request)
      if (recipient === undefined) return replyWithPage(reply, nothingPage)
      const act = {
        ...whoActs(request),
        via: 'preferences',
        now: new Date(ctx.clock.nowMs()),
      } as const
      switch (fields.get('action')) {
        case 'export':
          return mail('export')
        case 'erase':
          return mail('erase')
        case 'unsubscribe_all':
          await choose(ctx, { ...recipient, name: null }, new Set(), act)
          return replyWithSaved(reply, ctx, recipient, 'leftAll')
        case 'save': {
          const name = ContactName.safeParse(fields.get('name') ?? '')
          if (!name.success) {
            return replyWithPage(
              reply,
              preferencesPage(recipient, recipient.text.words.nameInvalid),
            )
          }
          const { addressId } = recipient.contact
          await renameContact(ctx.pg, { addressId, name: name.data ?? null, now: act.now })
          const asked = await choose(
            ctx,
            { ...recipient, name: name.data ?? null },
            new Set(fields.getAll('newsletter')),
            act,
          )
          return replyWithSaved(reply, ctx, recipient, savedWords[asked])
        }
        default:
          return replyWithPage(reply, preferencesPage(recipient))
      }
    },
  })
}

/**
 * All links of an email had one token once. Where the campaign counted opens or clicks, or is gone, such a token may come from one
 * of those links, which others get to see: then the mailbox is sent a link of its own.
 */
async function mayBeTracked(ctx: ApiContext, { kind, ids }: ReadContactToken): Promise<boolean> {
  if (kind !== 'legacy' || ids.campaignId === null) return false
  const campaign = await findTrackedCampaign(ctx.pg, ids.campaignId)
  return campaign === undefined || campaign.tracksOpens || campaign.tracksClicks
}

async function findRecipient(ctx: ApiContext, contactId: string): Promise<Recipient | undefined> {
  const contact = await findContact(ctx.pg, contactId)
  if (contact === undefined) return undefined
  const newsletter = await findNewsletterById(ctx.pg, contact.newsletterId)
  const newsletters = await listContactNewsletters(ctx.pg, contact)
  return { contact, newsletters, text: pageLanguage(newsletter?.locale) }
}

/** Only newsletters that the page showed can be chosen. Tells whether a confirmation was sent, or was sent not long ago. */
async function choose(
  ctx: ApiContext,
  { contact, newsletters, name }: Recipient & { name: string | null },
  chosen: ReadonlySet<string>,
  act: { ip: string; userAgent: string | null; via: 'preferences'; now: Date },
): Promise<Confirmation> {
  const welcomes = await composeWelcomes(ctx, newsletters, chosen)
  return ctx.pg.transaction(async (pg) => {
    let asked: Confirmation = 'none'
    const address = await lockAddressById(pg, contact.addressId)
    if (address === undefined) return asked
    for (const { id: newsletterId, contactId, status } of newsletters) {
      const gets = status === 'subscribed' || status === 'pending'
      const wanted = welcomes.get(newsletterId)
      if (wanted !== undefined && !gets) {
        const confirmation = await subscribeByChoice(pg, ctx, { ...wanted, address, name, ...act })
        if (asked !== 'sent' && confirmation !== 'none') asked = confirmation
      }
      if (!chosen.has(newsletterId) && gets && contactId !== null) {
        await unsubscribe(pg, { ...act, contactId })
      }
    }
    return asked
  })
}

/** By id, the newsletters that are chosen and not received yet. Outside the transaction: composing may wait for a thread. */
async function composeWelcomes(
  ctx: ApiContext,
  newsletters: readonly ContactNewsletter[],
  chosen: ReadonlySet<string>,
) {
  const wanted = new Map<
    string,
    { newsletter: StoredNewsletter; welcome: CompiledEmail | undefined }
  >()
  for (const { id, status } of newsletters) {
    if (!chosen.has(id) || status === 'subscribed' || status === 'pending') continue
    const newsletter = await findNewsletterById(ctx.pg, id)
    if (newsletter === undefined) continue
    wanted.set(id, { newsletter, welcome: await composeWelcome(ctx, newsletter) })
  }
  return wanted
}

async function replyWithSaved(
  reply: Parameters<typeof replyWithPage>[0],
  ctx: ApiContext,
  { contact }: Recipient,
  said: keyof PageWords,
) {
  const recipient = await findRecipient(ctx, contact.id)
  if (recipient === undefined) return replyWithPage(reply, nothingPage)
  return replyWithPage(reply, preferencesPage(recipient, recipient.text.words[said]))
}

/** Nobody is left who would say in which language. */
const { nothingTitle, nothingText } = pageLanguage(undefined).words
const nothingPage: ContactPage = {
  title: nothingTitle,
  body: html`<h1>${nothingTitle}</h1><p>${nothingText}</p>`,
}

function askForLinkPage({ words, ...language }: PageLanguage): ContactPage {
  return {
    ...language,
    title: words.preferencesTitle,
    body: html`<h1>${words.preferencesTitle}</h1>
<p>${words.askLinkText}</p>
<form method="post"><button class="act" name="action" value="preferences">${words.askLinkButton}</button></form>`,
  }
}
