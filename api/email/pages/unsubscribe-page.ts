/**
 * `/u/{token}`: the link of every campaign. GET shows a button and changes nothing, for scanners open every link of an email. POST
 * unsubscribes; the mailbox provider's button (RFC 8058) and ours are one function, and neither needs cookie, login or script. The
 * token of the List-Unsubscribe header unsubscribes and nothing else: machines on the way handle it.
 */
import type { FastifyRequest } from 'fastify'
import type { ReaderIds, ReadReaderToken } from '#schemas/mail/reader-token.ts'
import { type LinkKind, readerTokenOf } from '../../auth/link-kinds.ts'
import type { ApiContext } from '../../context.ts'
import { clientIp } from '../../http/client-address.ts'
import type { ApiInstance } from '../../http/route.ts'
import { addContactEvent, findContact } from '../../io/contact-store.ts'
import { findNewsletterById } from '../../io/newsletter-store.ts'
import { takeHits } from '../../io/rate-window-store.ts'
import { undoUnsubscribe, unsubscribe } from '../contacts/unsubscribe.ts'
import { formFields } from './form-body.ts'
import { mailedPage, mailLink } from './mail-link.ts'
import {
  html,
  type Markup,
  type ReaderPage,
  replyWithPage,
  replyWithUnknownLink,
} from './reader-page.ts'

const linkKinds: readonly LinkKind[] = ['unsubscribe', 'one_click', 'legacy']
const reasonCharactersMax = 1_000
const reasonsPerDayMax = 5
const userAgentCharactersMax = 300

export function registerUnsubscribePage(app: ApiInstance, ctx: ApiContext): void {
  app.route<{ Params: { token: string } }>({
    method: 'GET',
    url: '/u/:token',
    config: { linkKinds },
    schema: { hide: true },
    handler: async (request, reply) => {
      const link = readerTokenOf(request, request.params.token, ctx)
      if (link === undefined) return replyWithUnknownLink(reply)
      return replyWithPage(reply, await askPage(ctx, link))
    },
  })

  app.route<{ Params: { token: string } }>({
    method: 'POST',
    url: '/u/:token',
    config: { linkKinds },
    schema: { hide: true },
    handler: async (request, reply) => {
      const link = readerTokenOf(request, request.params.token, ctx)
      if (link === undefined) return replyWithUnknownLink(reply)
      const { ids } = link
      const fields = await formFields(request)
      const action = fields.get('action')
      const act = {
        ...whoActs(request),
        contactId: ids.contactId,
        now: new Date(ctx.clock.nowMs()),
      }

      if (action === 'preferences' && isOfPerson(link)) {
        const mailed = await mailLink(ctx, { ...act, purpose: 'preferences' })
        return replyWithPage(reply, mailedPage(mailed))
      }
      if (action === 'undo' && isOfPerson(link)) {
        const undone = await undoUnsubscribe(ctx, { ...act, via: 'unsubscribe_page' })
        return replyWithPage(reply, undone ? backPage : tooLatePage)
      }
      if (action === 'reason' && isOfPerson(link)) {
        await noteReason(ctx, act, fields.get('reason') ?? '')
        return replyWithPage(reply, thanksPage)
      }
      // A form of ours names its action. Whatever else is posted here is a mailbox provider's click, however it is written.
      const via = action === 'unsubscribe' ? 'unsubscribe_page' : 'one_click'
      const details = ids.campaignId === null ? {} : { campaignId: ids.campaignId }
      await ctx.pg.transaction((pg) => unsubscribe(pg, { ...act, via, details }))
      if (via === 'one_click') {
        return reply.type('text/plain; charset=utf-8').send('You are unsubscribed.\n')
      }
      return replyWithPage(reply, leftPage(link, await newsletterName(ctx, ids)))
    },
  })
}

/** The header's token may only unsubscribe. */
function isOfPerson({ kind }: ReadReaderToken): boolean {
  return kind !== 'one_click'
}

export function whoActs(request: FastifyRequest): { ip: string; userAgent: string | null } {
  const agent = request.headers['user-agent']?.slice(0, userAgentCharactersMax)
  return { ip: clientIp(request), userAgent: agent ?? null }
}

async function newsletterName(ctx: ApiContext, ids: ReaderIds): Promise<string | undefined> {
  const contact = await findContact(ctx.pg, ids.contactId)
  if (contact === undefined) return undefined
  return (await findNewsletterById(ctx.pg, contact.newsletterId))?.name
}

async function noteReason(
  ctx: ApiContext,
  act: { contactId: string; ip: string; userAgent: string | null; now: Date },
  typed: string,
): Promise<void> {
  const reason = typed.replaceAll('\0', '').trim().slice(0, reasonCharactersMax).toWellFormed()
  if (reason === '') return
  const { contactId } = act
  await ctx.pg.transaction(async (pg) => {
    if ((await findContact(pg, contactId)) === undefined) return
    const bucket = `unsubscribe-reason:${contactId}`
    const window = { bucket, hitsMax: reasonsPerDayMax, windowMs: 24 * 3_600_000 }
    if ((await takeHits(pg, [window], act.now)).kind === 'full') return
    const event = {
      kind: 'unsubscribe_reason',
      via: 'unsubscribe_page',
      details: { reason },
    } as const
    await addContactEvent(pg, { ...act, ...event })
  })
}

async function askPage(ctx: ApiContext, link: ReadReaderToken): Promise<ReaderPage> {
  const { ids } = link
  const contact = await findContact(ctx.pg, ids.contactId)
  const name = await newsletterName(ctx, ids)
  const isReader = contact?.status === 'subscribed' || contact?.status === 'pending'
  if (contact === undefined || name === undefined || !isReader) {
    return {
      title: 'You are not subscribed',
      body: html`<h1>You are not subscribed</h1><p>${name === undefined ? 'This newsletter is' : `${name} is`} not sent to you.</p>`,
    }
  }
  return {
    title: `Unsubscribe from ${name}`,
    body: html`<h1>Unsubscribe from ${name}?</h1>
<p>You will get no further issue.</p>
<form method="post"><button class="act" name="action" value="unsubscribe">Unsubscribe</button></form>
${isOfPerson(link) ? preferencesButton : []}`,
  }
}

/** A page of another purpose is opened by a link of its own, which only the mailbox gets. */
const preferencesButton: Markup = html`<form method="post"><button name="action" value="preferences">Email me a link to my preferences</button></form>`

function leftPage(link: ReadReaderToken, name: string | undefined): ReaderPage {
  const left = html`<h1>You are unsubscribed</h1>
<p>${name === undefined ? 'This newsletter' : name} is not sent to you any more.</p>`
  if (!isOfPerson(link)) return { title: 'You are unsubscribed', body: left }
  return {
    title: 'You are unsubscribed',
    body: html`${left}
<form method="post"><button name="action" value="undo">Undo</button></form>
<form method="post">
<label class="field">Would you tell us why? <textarea name="reason" rows="3" maxlength="${String(reasonCharactersMax)}"></textarea></label>
<button name="action" value="reason">Send</button>
</form>
${preferencesButton}`,
  }
}

const backPage: ReaderPage = {
  title: 'You are back',
  body: html`<h1>You are back</h1><p>Everything is as it was before.</p>`,
}

const tooLatePage: ReaderPage = {
  title: 'This can no longer be undone',
  body: html`<h1>This can no longer be undone</h1>
<p>It works for an hour after unsubscribing. You can always sign up again.</p>`,
}

const thanksPage: ReaderPage = {
  title: 'Thank you',
  body: html`<h1>Thank you</h1><p>That helps.</p>`,
}
