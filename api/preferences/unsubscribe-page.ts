/**
 * `/u/{token}`: the link of every campaign. GET shows a button and changes nothing, for scanners open every link of an email. POST
 * unsubscribes; the mailbox provider's button (RFC 8058) and ours are one function, and neither needs cookie, login or script. The
 * token of the List-Unsubscribe header unsubscribes and nothing else: machines on the way handle it.
 */
import type { FastifyRequest } from 'fastify'
import type { ContactIds, ReadContactToken } from '#schemas/mail/contact-token.ts'
import { contactTokenOf, type LinkKind } from '../auth/link-kinds.ts'
import { addContactEvent, findContact } from '../contacts/contact-store.ts'
import { undoUnsubscribe, unsubscribe } from '../contacts/unsubscribe.ts'
import type { ApiContext } from '../context.ts'
import { clientIp } from '../http/client-address.ts'
import type { ApiInstance } from '../http/route.ts'
import { findNewsletterById, type StoredNewsletter } from '../newsletters/newsletter-store.ts'
import { takeHits } from '../rate-limits/rate-window-store.ts'
import {
  type ContactPage,
  html,
  type Markup,
  replyWithPage,
  replyWithUnknownLink,
} from './contact-page.ts'
import { formFields } from './form-body.ts'
import { mailedPage, mailLink } from './mail-link.ts'
import { fillMarkup, fillWords, type PageWords, pageLanguage } from './words/page-words.ts'

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
      const link = contactTokenOf(request, request.params.token, ctx)
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
      const link = contactTokenOf(request, request.params.token, ctx)
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
        const { locale } = (await newsletterOf(ctx, ids)) ?? {}
        return replyWithPage(reply, mailedPage(mailed, pageLanguage(locale)))
      }
      if (action === 'undo' && isOfPerson(link)) {
        const undone = await undoUnsubscribe(ctx, { ...act, via: 'unsubscribe_page' })
        return replyWithPage(reply, undonePage(await newsletterOf(ctx, ids), undone))
      }
      if (action === 'reason' && isOfPerson(link)) {
        await noteReason(ctx, act, fields.get('reason') ?? '')
        return replyWithPage(reply, thanksPage(await newsletterOf(ctx, ids)))
      }
      // A form of ours names its action. Whatever else is posted here is a mailbox provider's click, however it is written.
      const via = action === 'unsubscribe' ? 'unsubscribe_page' : 'one_click'
      const details = ids.campaignId === null ? {} : { campaignId: ids.campaignId }
      await ctx.pg.transaction((pg) => unsubscribe(pg, { ...act, via, details }))
      if (via === 'one_click') {
        return reply.type('text/plain; charset=utf-8').send('You are unsubscribed.\n')
      }
      return replyWithPage(reply, leftPage(link, await newsletterOf(ctx, ids)))
    },
  })
}

/** The header's token may only unsubscribe. */
function isOfPerson({ kind }: ReadContactToken): boolean {
  return kind !== 'one_click'
}

export function whoActs(request: FastifyRequest): { ip: string; userAgent: string | null } {
  const agent = request.headers['user-agent']?.slice(0, userAgentCharactersMax)
  return { ip: clientIp(request), userAgent: agent ?? null }
}

async function newsletterOf(
  ctx: ApiContext,
  ids: ContactIds,
): Promise<StoredNewsletter | undefined> {
  const contact = await findContact(ctx.pg, ids.contactId)
  return contact === undefined ? undefined : findNewsletterById(ctx.pg, contact.newsletterId)
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

async function askPage(ctx: ApiContext, link: ReadContactToken): Promise<ContactPage> {
  const { ids } = link
  const contact = await findContact(ctx.pg, ids.contactId)
  const newsletter = await newsletterOf(ctx, ids)
  const { words, ...language } = pageLanguage(newsletter?.locale)
  const name = newsletter?.name ?? words.thisNewsletter
  const isContact = contact?.status === 'subscribed' || contact?.status === 'pending'
  if (newsletter === undefined || !isContact) {
    return {
      ...language,
      title: words.notSubscribedTitle,
      body: html`<h1>${words.notSubscribedTitle}</h1><p>${fillMarkup(words.notSubscribedText, { name })}</p>`,
    }
  }
  return {
    ...language,
    title: fillWords(words.leaveTitle, { name }),
    body: html`<h1>${fillMarkup(words.leaveHeading, { name })}</h1>
<p>${words.leaveText}</p>
<form method="post"><button class="act" name="action" value="unsubscribe">${words.leaveButton}</button></form>
${isOfPerson(link) ? preferencesButton(words) : []}`,
  }
}

/** A page of another purpose is opened by a link of its own, which only the mailbox gets. */
function preferencesButton(words: PageWords): Markup {
  return html`<form method="post"><button name="action" value="preferences">${words.preferencesByEmail}</button></form>`
}

function leftPage(link: ReadContactToken, newsletter: StoredNewsletter | undefined): ContactPage {
  const { words, ...language } = pageLanguage(newsletter?.locale)
  const title = words.leftTitle
  const name = newsletter?.name ?? words.thisNewsletter
  const left = html`<h1>${title}</h1>
<p>${fillMarkup(words.leftText, { name })}</p>`
  if (!isOfPerson(link)) return { ...language, title, body: left }
  return {
    ...language,
    title,
    body: html`${left}
<form method="post"><button name="action" value="undo">${words.undoButton}</button></form>
<form method="post">
<label class="field">${words.reasonLabel} <textarea name="reason" rows="3" maxlength="${String(reasonCharactersMax)}"></textarea></label>
<button name="action" value="reason">${words.reasonButton}</button>
</form>
${preferencesButton(words)}`,
  }
}

function undonePage(newsletter: StoredNewsletter | undefined, undone: boolean): ContactPage {
  const { words, ...language } = pageLanguage(newsletter?.locale)
  const [title, text] = undone
    ? [words.undoneTitle, words.undoneText]
    : [words.undoLateTitle, words.undoLateText]
  return { ...language, title, body: html`<h1>${title}</h1><p>${text}</p>` }
}

function thanksPage(newsletter: StoredNewsletter | undefined): ContactPage {
  const { words, ...language } = pageLanguage(newsletter?.locale)
  const title = words.thanksTitle
  return { ...language, title, body: html`<h1>${title}</h1><p>${words.thanksText}</p>` }
}
