/**
 * `/data-export/{token}` and `/data-erasure/{token}`: where the emails that confirm these two lead. GET shows a button and changes
 * nothing, because scanners open links as well.
 */
import { hashSecret, isToken } from '../../auth/secret.ts'
import type { ApiContext } from '../../context.ts'
import type { ApiInstance } from '../../http/route.ts'
import {
  type DataPurpose,
  deleteDataRequests,
  findDataRequest,
} from '../../io/data-request-store.ts'
import { eraseReader, readReaderData } from '../../io/reader-store.ts'
import { html, type ReaderPage, replyWithPage } from './reader-page.ts'

type Params = { Params: { token: string } }

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
        const asked = await requestOf(request.params.token, purpose)
        return replyWithPage(reply, asked === undefined ? expiredPage : page)
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
      if (asked === undefined) return replyWithPage(reply, expiredPage)
      const data = await readReaderData(ctx.pg, asked.addressId)
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
      const asked = await requestOf(request.params.token, 'erase')
      if (asked === undefined) return replyWithPage(reply, expiredPage)
      await ctx.pg.transaction(async (pg) => {
        await eraseReader(pg, asked)
        await deleteDataRequests(pg, asked.addressId)
      })
      return replyWithPage(reply, erasedPage)
    },
  })
}

const exportPage: ReaderPage = {
  title: 'Download your data',
  body: html`<h1>Download your data</h1>
<p>The file holds everything that the sender of this email stores about you.</p>
<form method="post"><button class="act">Download</button></form>`,
}

const erasePage: ReaderPage = {
  title: 'Erase your data',
  body: html`<h1>Erase your data?</h1>
<p>Your address, your name, your subscriptions and everything stored with them are erased. This cannot be undone.</p>
<form method="post"><button class="act">Erase my data</button></form>`,
}

const erasedPage: ReaderPage = {
  title: 'Your data is erased',
  body: html`<h1>Your data is erased</h1>
<p>Your address, your name and everything that went with them are gone. No newsletter of this sender will reach you.</p>`,
}

const expiredPage: ReaderPage = {
  status: 404,
  title: 'This link does not work',
  body: html`<h1>This link does not work</h1>
<p>It works for one hour. Ask for another one on the page with your preferences.</p>`,
}
