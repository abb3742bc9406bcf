/**
 * `/confirm/{token}`: the link of a confirmation email. GET shows one button and changes nothing,
 * because scanners open links, too. Only the POST of that button confirms.
 */
import type { ApiContext } from '../context.ts'
import { html } from '../http/html-document.ts'
import type { ApiInstance } from '../http/route.ts'
import type { StoredNewsletter } from '../newsletters/newsletter-store.ts'
import {
  type Confirmation,
  confirmSignup,
  openConfirmation,
  requestNewLink,
} from './confirm-signup.ts'
import { type ContactPage, replyWithPage, replyWithUnknownLink } from './contact-page.ts'
import { formFields } from './form-body.ts'
import { visitorOf } from './visitor.ts'
import { fillMarkup, fillWords, pageLanguage } from './words/page-words.ts'

export function registerConfirmPage(app: ApiInstance, ctx: ApiContext): void {
  app.route<{ Params: { token: string } }>({
    method: 'GET',
    url: '/confirm/:token',
    config: { linkKinds: ['confirm'] },
    schema: { hide: true },
    handler: async (request, reply) => {
      const opened = await openConfirmation(ctx, request.params)
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
      const { params } = request
      const action = (await formFields(request)).get('action')
      const renewed = action === 'again' ? await requestNewLink(ctx, params) : undefined
      if (renewed !== undefined) return replyWithPage(reply, askedPage(renewed))
      const opened = await confirmSignup(ctx, visitorOf(request), params)
      if (opened === undefined) return replyWithUnknownLink(reply)
      const redirect = opened.newsletter.confirmRedirectUrl
      if (opened.state === 'done' && redirect !== null) return reply.redirect(redirect, 303)
      return replyWithPage(reply, pageOf(opened))
    },
  })
}

function pageOf({ state, newsletter, address: { email } }: Confirmation): ContactPage {
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

function askedPage(renewed: {
  readonly asked: 'sent' | 'too_soon'
  readonly newsletter: StoredNewsletter
}): ContactPage {
  const { asked, newsletter } = renewed
  const { words, ...language } = pageLanguage(newsletter.locale)
  const [title, text] =
    asked === 'sent'
      ? [words.linkSentTitle, words.linkSentText]
      : [words.linkRecentTitle, words.linkRecentText]
  return { ...language, title, body: html`<h1>${title}</h1><p>${text}</p>` }
}

/**
 * `ada@example.org` as `a•••@e•••.org`: the owner recognizes it, and a bystander cannot read it.
 */
function maskedAddress(email: string): string {
  const at = email.lastIndexOf('@')
  const domain = email.slice(at + 1)
  const end = domain.slice(domain.lastIndexOf('.'))
  return `${firstOf(email)}•••@${firstOf(domain)}•••${end}`
}

function firstOf(text: string): string {
  return Array.from(text)[0] ?? ''
}
