/**
 * `/preferences/{token}`: a subscriber's name and which newsletters of the organization they get. An export of their data and its
 * erasure are asked for here and confirmed by a link that is sent to the mailbox.
 */
import type { ReadReaderToken } from '#schemas/mail/reader-token.ts'
import { ContactName } from '#schemas/rest/contact.ts'
import { type LinkKind, readerTokenOf } from '../../auth/link-kinds.ts'
import type { ApiContext } from '../../context.ts'
import type { ApiInstance } from '../../http/route.ts'
import { lockAddressById } from '../../io/address-store.ts'
import { findContact, type StoredContact } from '../../io/contact-store.ts'
import {
  listReaderNewsletters,
  type ReaderNewsletter,
  renameReader,
} from '../../io/reader-store.ts'
import { findTrackedCampaign } from '../../io/tracking-store.ts'
import { unsubscribe } from '../contacts/unsubscribe.ts'
import { formFields } from './form-body.ts'
import { mailedPage, mailLink } from './mail-link.ts'
import type { MailedPurpose } from './mail-link-words.ts'
import { preferencesPage } from './preferences-form.ts'
import { html, type ReaderPage, replyWithPage, replyWithUnknownLink } from './reader-page.ts'
import { subscribeByChoice } from './subscribe-by-choice.ts'
import { whoActs } from './unsubscribe-page.ts'

const linkKinds: readonly LinkKind[] = ['preferences', 'legacy']

interface Reader {
  readonly contact: StoredContact
  readonly newsletters: readonly ReaderNewsletter[]
}

export function registerPreferencesPage(app: ApiInstance, ctx: ApiContext): void {
  app.route<{ Params: { token: string } }>({
    method: 'GET',
    url: '/preferences/:token',
    config: { linkKinds },
    schema: { hide: true },
    handler: async (request, reply) => {
      const link = readerTokenOf(request, request.params.token, ctx)
      if (link === undefined) return replyWithUnknownLink(reply)
      if (await mayBeTracked(ctx, link)) return replyWithPage(reply, askForLinkPage)
      const reader = await findReader(ctx, link.ids.contactId)
      return replyWithPage(reply, reader === undefined ? nothingPage : preferencesPage(reader))
    },
  })

  app.route<{ Params: { token: string } }>({
    method: 'POST',
    url: '/preferences/:token',
    config: { linkKinds },
    schema: { hide: true },
    handler: async (request, reply) => {
      const link = readerTokenOf(request, request.params.token, ctx)
      if (link === undefined) return replyWithUnknownLink(reply)
      const { contactId } = link.ids
      const mail = async (purpose: MailedPurpose) => {
        const now = new Date(ctx.clock.nowMs())
        return replyWithPage(reply, mailedPage(await mailLink(ctx, { contactId, purpose, now })))
      }
      if (await mayBeTracked(ctx, link)) return mail('preferences')
      const fields = await formFields(request)
      const reader = await findReader(ctx, contactId)
      if (reader === undefined) return replyWithPage(reply, nothingPage)
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
          await choose(ctx, { ...reader, name: null }, new Set(), act)
          return replyWithSaved(reply, ctx, reader, 'You are unsubscribed from everything.')
        case 'save': {
          const name = ContactName.safeParse(fields.get('name') ?? '')
          if (!name.success) {
            const { message } = name.error.issues[0]!
            return replyWithPage(reply, preferencesPage(reader, `Your name ${message}.`))
          }
          const { addressId } = reader.contact
          await renameReader(ctx.pg, { addressId, name: name.data ?? null, now: act.now })
          await choose(
            ctx,
            { ...reader, name: name.data ?? null },
            new Set(fields.getAll('newsletter')),
            act,
          )
          return replyWithSaved(reply, ctx, reader, 'Saved.')
        }
        default:
          return replyWithPage(reply, preferencesPage(reader))
      }
    },
  })
}

/**
 * All links of an email had one token once. Where the campaign counted opens or clicks, or is gone, such a token may come from one
 * of those links, which others get to see: then the mailbox is sent a link of its own.
 */
async function mayBeTracked(ctx: ApiContext, { kind, ids }: ReadReaderToken): Promise<boolean> {
  if (kind !== 'legacy' || ids.campaignId === null) return false
  const campaign = await findTrackedCampaign(ctx.pg, ids.campaignId)
  return campaign === undefined || campaign.tracksOpens || campaign.tracksClicks
}

async function findReader(ctx: ApiContext, contactId: string): Promise<Reader | undefined> {
  const contact = await findContact(ctx.pg, contactId)
  if (contact === undefined) return undefined
  return { contact, newsletters: await listReaderNewsletters(ctx.pg, contact) }
}

/** Only newsletters that the page showed can be chosen. */
async function choose(
  ctx: ApiContext,
  { contact, newsletters, name }: Reader & { name: string | null },
  chosen: ReadonlySet<string>,
  act: { ip: string; userAgent: string | null; via: 'preferences'; now: Date },
): Promise<void> {
  await ctx.pg.transaction(async (pg) => {
    const address = await lockAddressById(pg, contact.addressId)
    if (address === undefined) return
    for (const { id: newsletterId, contactId, status } of newsletters) {
      const gets = status === 'subscribed' || status === 'pending'
      if (chosen.has(newsletterId) && !gets) {
        await subscribeByChoice(pg, ctx, { newsletterId, address, name, ...act })
      }
      if (!chosen.has(newsletterId) && gets && contactId !== null) {
        await unsubscribe(pg, { ...act, contactId })
      }
    }
  })
}

async function replyWithSaved(
  reply: Parameters<typeof replyWithPage>[0],
  ctx: ApiContext,
  { contact }: Reader,
  said: string,
) {
  const reader = await findReader(ctx, contact.id)
  return replyWithPage(reply, reader === undefined ? nothingPage : preferencesPage(reader, said))
}

const nothingPage: ReaderPage = {
  title: 'Nothing is stored',
  body: html`<h1>Nothing is stored</h1><p>There is nothing here about you any more.</p>`,
}

const askForLinkPage: ReaderPage = {
  title: 'Your newsletters',
  body: html`<h1>Your newsletters</h1>
<p>This link comes from an older email. For your preferences you get a new link by email.</p>
<form method="post"><button class="act" name="action" value="preferences">Email me the link</button></form>`,
}
