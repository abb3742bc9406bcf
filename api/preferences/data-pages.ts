/**
 * `/data-export/{token}` and `/data-erasure/{token}`: where the emails that confirm these two lead. GET shows a button and changes
 * nothing, because scanners open links as well.
 */
import { hashSecret, isToken } from '../auth/secret.ts'
import { eraseContact, readContactData } from '../contacts/person-data-store.ts'
import type { ApiContext } from '../context.ts'
import type { ApiInstance } from '../http/route.ts'
import { type ContactPage, html, replyWithPage } from './contact-page.ts'
import { type DataPurpose, deleteDataRequests, findDataRequest } from './data-request-store.ts'
import { type PageLanguage, pageLanguage } from './words/page-words.ts'

type Params = { Params: { token: string }; Querystring: { lang?: unknown } }

export function registerDataPages(app: ApiInstance, ctx: ApiContext): void {
  const requestOf = (token: string, purpose: DataPurpose) =>
    isToken(token)
      ? findDataRequest(ctx.pg, {
          tokenHash: hashSecret(token),
          purpose,
          now: new Date(ctx.clock.nowMs()),
        })
      : undefined

  for (const [url, purpose, page] of [
    ['/data-export/:token', 'export', exportPage],
    ['/data-erasure/:token', 'erase', erasePage],
  ] as const) {
    app.route<Params>({
      method: 'GET',
      url,
      config: { linkKinds: [purpose === 'export' ? 'data_export' : 'data_erasure'] },
      schema: { hide: true },
      handler: async (request, reply) => {
        const text = languageOf(request.query)
        const asked = await requestOf(request.params.token, purpose)
        return replyWithPage(reply, asked === undefined ? expiredPage(text) : page(text))
      },
    })
  }

  app.route<Params>({
    method: 'POST',
    url: '/data-export/:token',
    config: { linkKinds: ['data_export'] },
    schema: { hide: true },
    handler: async (request, reply) => {
      const asked = await requestOf(request.params.token, 'export')
      if (asked === undefined) return replyWithPage(reply, expiredPage(languageOf(request.query)))
      const data = await readContactData(ctx.pg, asked.addressId)
      return reply
        .type('application/json; charset=utf-8')
        .header('Content-Disposition', 'attachment; filename="my-data.json"')
        .header('X-Robots-Tag', 'noindex, nofollow')
        .send(JSON.stringify(data, null, 2))
    },
  })

  app.route<Params>({
    method: 'POST',
    url: '/data-erasure/:token',
    config: { linkKinds: ['data_erasure'] },
    schema: { hide: true },
    handler: async (request, reply) => {
      const text = languageOf(request.query)
      const asked = await requestOf(request.params.token, 'erase')
      if (asked === undefined) return replyWithPage(reply, expiredPage(text))
      await ctx.pg.transaction(async (pg) => {
        await eraseContact(pg, asked)
        await deleteDataRequests(pg, asked.addressId)
      })
      return replyWithPage(reply, erasedPage(text))
    },
  })
}

/** The links carry it, because an address may belong to newsletters of several languages, and an expired link to none. */
function languageOf({ lang }: { lang?: unknown }): PageLanguage {
  return pageLanguage(typeof lang === 'string' ? lang : undefined)
}

function exportPage({ words, ...language }: PageLanguage): ContactPage {
  return {
    ...language,
    title: words.exportTitle,
    body: html`<h1>${words.exportTitle}</h1>
<p>${words.exportText}</p>
<form method="post"><button class="act">${words.exportButton}</button></form>`,
  }
}

function erasePage({ words, ...language }: PageLanguage): ContactPage {
  return {
    ...language,
    title: words.eraseTitle,
    body: html`<h1>${words.eraseHeading}</h1>
<p>${words.eraseText}</p>
<form method="post"><button class="act">${words.eraseButton}</button></form>`,
  }
}

function erasedPage({ words, ...language }: PageLanguage): ContactPage {
  const title = words.erasedTitle
  return { ...language, title, body: html`<h1>${title}</h1>\n<p>${words.erasedText}</p>` }
}

function expiredPage({ words, ...language }: PageLanguage): ContactPage {
  const title = words.dataExpiredTitle
  const body = html`<h1>${title}</h1>\n<p>${words.dataExpiredText}</p>`
  return { ...language, status: 404, title, body }
}
