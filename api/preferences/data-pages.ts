/**
 * `/data-export/{token}` and `/data-erasure/{token}`: the links of the emails that confirm these
 * two. GET shows a button and changes nothing, because scanners open links, too.
 */
import type { ApiContext } from '../context.ts'
import { html } from '../http/html-document.ts'
import type { ApiInstance } from '../http/route.ts'
import { type ContactPage, replyWithPage } from './contact-page.ts'
import { eraseOwnData, exportOwnData, findOwnDataRequest } from './own-data.ts'
import { type PageLanguage, pageLanguage } from './words/page-words.ts'

type Params = { Params: { token: string }; Querystring: { lang?: unknown } }

export function registerDataPages(app: ApiInstance, ctx: ApiContext): void {
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
        const asked = await findOwnDataRequest(ctx, { ...request.params, purpose })
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
      const data = await exportOwnData(ctx, request.params)
      if (data === undefined) return replyWithPage(reply, expiredPage(languageOf(request.query)))
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
      const isErased = await eraseOwnData(ctx, request.params)
      return replyWithPage(reply, isErased ? erasedPage(text) : expiredPage(text))
    },
  })
}

/**
 * The link holds the language, because an address may belong to newsletters of several languages,
 * and an expired link belongs to none.
 */
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
