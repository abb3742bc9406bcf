/**
 * `/u/{token}`: the unsubscribe link of every campaign. GET shows a button and changes nothing,
 * because scanners open every link of an email. POST unsubscribes, from the button of the mailbox
 * provider (RFC 8058) as from ours, without cookie, login or script. Mail servers see the token of
 * the List-Unsubscribe header, so that one can only unsubscribe.
 */
import type { ContactIds, ReadContactToken } from '#schemas/mail/contact-token.ts'
import { contactTokenOf, type LinkKind } from '../auth/link-kinds.ts'
import { findContact } from '../contacts/contact-store.ts'
import { undoUnsubscribe, unsubscribe } from '../contacts/unsubscribe.ts'
import type { ApiContext } from '../context.ts'
import { html, type Markup } from '../http/html-document.ts'
import type { ApiInstance } from '../http/route.ts'
import { findNewsletterById, type StoredNewsletter } from '../newsletters/newsletter-store.ts'
import { type ContactPage, replyWithPage, replyWithUnknownLink } from './contact-page.ts'
import { formFields } from './form-body.ts'
import { mailedPage, mailLink } from './mail-link.ts'
import { noteReason, reasonCharactersMax } from './note-reason.ts'
import { visitorOf } from './visitor.ts'
import { fillMarkup, fillWords, pageLanguage } from './words/page-words.ts'
import type { PageWords } from './words/page-words-en.ts'

const linkKinds: readonly LinkKind[] = ['unsubscribe', 'one_click', 'legacy']

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
      const { contactId } = ids
      const visitor = visitorOf(request)
      const act = { ...visitor, contactId, now: new Date(ctx.clock.nowMs()) }

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
        await noteReason(ctx, visitor, { contactId, reason: fields.get('reason') ?? '' })
        return replyWithPage(reply, thanksPage(await newsletterOf(ctx, ids)))
      }
      // Our forms name their action. Any other body is a one-click request of a mailbox provider.
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

/** The token of the List-Unsubscribe header can only unsubscribe. */
function isOfPerson({ kind }: ReadContactToken): boolean {
  return kind !== 'one_click'
}

async function newsletterOf(
  ctx: ApiContext,
  ids: ContactIds,
): Promise<StoredNewsletter | undefined> {
  const contact = await findContact(ctx.pg, ids.contactId)
  return contact === undefined ? undefined : findNewsletterById(ctx.pg, contact.newsletterId)
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

/** The preferences have a link of their own, which is sent to the mailbox only. */
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
