/**
 * `/preferences/{token}`: a reader's name, which newsletters of the organization they get, everything that is stored about them as a
 * file, and the way to have it erased. Who holds the link reads the mailbox, so no login is asked for.
 */
import type { CompiledLetter } from '#schemas/mail/compiled-letter.ts'
import { ContactName } from '#schemas/rest/contact.ts'
import type { ApiContext } from '../../context.ts'
import type { ApiInstance } from '../../http/route.ts'
import { lockAddressById } from '../../io/address-store.ts'
import { findContact, type StoredContact } from '../../io/contact-store.ts'
import { findNewsletterById, type StoredNewsletter } from '../../io/newsletter-store.ts'
import {
  eraseReader,
  listReaderNewsletters,
  type ReaderNewsletter,
  readReaderData,
  renameReader,
} from '../../io/reader-store.ts'
import { composeWelcome } from '../contacts/send-welcome.ts'
import type { Confirmation } from '../contacts/store-signup.ts'
import { unsubscribe } from '../contacts/unsubscribe.ts'
import { formFields } from './form-body.ts'
import { type PageLanguage, type PageWords, pageLanguage } from './page-words.ts'
import { preferencesPage } from './preferences-form.ts'
import { html, type ReaderPage, replyWithPage, replyWithUnknownLink } from './reader-page.ts'
import { subscribeByChoice } from './subscribe-by-choice.ts'
import { readerIn, whoActs } from './unsubscribe-page.ts'

interface Reader {
  readonly token: string
  readonly contact: StoredContact
  readonly newsletters: readonly ReaderNewsletter[]
  readonly text: PageLanguage
}

const savedWords = { none: 'saved', sent: 'savedAndSent', too_soon: 'savedAndRecent' } as const

export function registerPreferencesPage(app: ApiInstance, ctx: ApiContext): void {
  app.route<{ Params: { token: string } }>({
    method: 'GET',
    url: '/preferences/:token',
    schema: { hide: true },
    handler: async (request, reply) => {
      const ids = readerIn(request.params.token, ctx)
      if (ids === undefined) return replyWithUnknownLink(reply)
      const reader = await findReader(ctx, request.params.token, ids.contactId)
      return replyWithPage(reply, reader === undefined ? nothingPage : preferencesPage(reader))
    },
  })

  app.route<{ Params: { token: string } }>({
    method: 'GET',
    url: '/preferences/:token/data.json',
    schema: { hide: true },
    handler: async (request, reply) => {
      const ids = readerIn(request.params.token, ctx)
      const contact = ids && (await findContact(ctx.pg, ids.contactId))
      if (contact === undefined) return replyWithUnknownLink(reply)
      const data = await readReaderData(ctx.pg, contact.addressId)
      return reply
        .type('application/json; charset=utf-8')
        .header('Content-Disposition', 'attachment; filename="my-data.json"')
        .header('X-Robots-Tag', 'noindex, nofollow')
        .send(JSON.stringify(data, null, 2))
    },
  })

  app.route<{ Params: { token: string } }>({
    method: 'POST',
    url: '/preferences/:token',
    schema: { hide: true },
    handler: async (request, reply) => {
      const ids = readerIn(request.params.token, ctx)
      if (ids === undefined) return replyWithUnknownLink(reply)
      const fields = await formFields(request)
      const reader = await findReader(ctx, request.params.token, ids.contactId)
      if (reader === undefined) return replyWithPage(reply, nothingPage)
      const act = {
        ...whoActs(request),
        via: 'preferences',
        now: new Date(ctx.clock.nowMs()),
      } as const
      switch (fields.get('action')) {
        case 'erase':
          if (fields.get('sure') !== 'yes') {
            return replyWithPage(reply, preferencesPage(reader, reader.text.words.tickToErase))
          }
          await ctx.pg.transaction((pg) => eraseReader(pg, reader.contact))
          return replyWithPage(reply, erasedPage(reader.text))
        case 'unsubscribe_all':
          await choose(ctx, { ...reader, name: null }, new Set(), act)
          return replyWithSaved(reply, ctx, reader, 'leftAll')
        case 'save': {
          const name = ContactName.safeParse(fields.get('name') ?? '')
          if (!name.success) {
            return replyWithPage(reply, preferencesPage(reader, reader.text.words.nameInvalid))
          }
          const { addressId } = reader.contact
          await renameReader(ctx.pg, { addressId, name: name.data ?? null, now: act.now })
          const asked = await choose(
            ctx,
            { ...reader, name: name.data ?? null },
            new Set(fields.getAll('newsletter')),
            act,
          )
          return replyWithSaved(reply, ctx, reader, savedWords[asked])
        }
        default:
          return replyWithPage(reply, preferencesPage(reader))
      }
    },
  })
}

async function findReader(
  ctx: ApiContext,
  token: string,
  contactId: string,
): Promise<Reader | undefined> {
  const contact = await findContact(ctx.pg, contactId)
  if (contact === undefined) return undefined
  const newsletter = await findNewsletterById(ctx.pg, contact.newsletterId)
  const newsletters = await listReaderNewsletters(ctx.pg, contact)
  return { token, contact, newsletters, text: pageLanguage(newsletter?.locale) }
}

/** Only newsletters that the page showed can be chosen. Tells whether a confirmation was sent, or was sent not long ago. */
async function choose(
  ctx: ApiContext,
  { contact, newsletters, name }: Reader & { name: string | null },
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
  newsletters: readonly ReaderNewsletter[],
  chosen: ReadonlySet<string>,
) {
  const wanted = new Map<
    string,
    { newsletter: StoredNewsletter; welcome: CompiledLetter | undefined }
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
  { token, contact }: Reader,
  said: keyof PageWords,
) {
  const reader = await findReader(ctx, token, contact.id)
  if (reader === undefined) return replyWithPage(reply, nothingPage)
  return replyWithPage(reply, preferencesPage(reader, reader.text.words[said]))
}

/** Nobody is left who would say in which language. */
const { nothingTitle, nothingText } = pageLanguage(undefined).words
const nothingPage: ReaderPage = {
  title: nothingTitle,
  body: html`<h1>${nothingTitle}</h1><p>${nothingText}</p>`,
}

function erasedPage({ words, ...language }: PageLanguage): ReaderPage {
  const title = words.erasedTitle
  return { ...language, title, body: html`<h1>${title}</h1>\n<p>${words.erasedText}</p>` }
}
