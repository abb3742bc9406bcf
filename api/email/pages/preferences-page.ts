/**
 * `/preferences/{token}`: a reader's name, which newsletters of the organization they get, everything that is stored about them as a
 * file, and the way to have it erased. Who holds the link reads the mailbox, so no login is asked for.
 */
import { ContactName } from '#schemas/rest/contact.ts'
import type { ApiContext } from '../../context.ts'
import type { ApiInstance } from '../../http/route.ts'
import { lockAddressById } from '../../io/address-store.ts'
import { findContact, type StoredContact } from '../../io/contact-store.ts'
import {
  eraseReader,
  listReaderNewsletters,
  type ReaderNewsletter,
  readReaderData,
  renameReader,
} from '../../io/reader-store.ts'
import { unsubscribe } from '../contacts/unsubscribe.ts'
import { formFields } from './form-body.ts'
import { preferencesPage } from './preferences-form.ts'
import { html, type ReaderPage, replyWithPage, replyWithUnknownLink } from './reader-page.ts'
import { subscribeByChoice } from './subscribe-by-choice.ts'
import { readerIn, whoActs } from './unsubscribe-page.ts'

interface Reader {
  readonly token: string
  readonly contact: StoredContact
  readonly newsletters: readonly ReaderNewsletter[]
}

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
            return replyWithPage(
              reply,
              preferencesPage(reader, 'Tick the box if everything shall be erased.'),
            )
          }
          await ctx.pg.transaction((pg) => eraseReader(pg, reader.contact))
          return replyWithPage(reply, erasedPage)
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

async function findReader(
  ctx: ApiContext,
  token: string,
  contactId: string,
): Promise<Reader | undefined> {
  const contact = await findContact(ctx.pg, contactId)
  if (contact === undefined) return undefined
  return { token, contact, newsletters: await listReaderNewsletters(ctx.pg, contact) }
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
  { token, contact }: Reader,
  said: string,
) {
  const reader = await findReader(ctx, token, contact.id)
  return replyWithPage(reply, reader === undefined ? nothingPage : preferencesPage(reader, said))
}

const nothingPage: ReaderPage = {
  title: 'Nothing is stored',
  body: html`<h1>Nothing is stored</h1><p>There is nothing here about you any more.</p>`,
}

const erasedPage: ReaderPage = {
  title: 'You are erased',
  body: html`<h1>You are erased</h1>
<p>Your address, your name and everything that went with them are gone. No newsletter of this sender will reach you.</p>`,
}
