/**
 * `/portal/{project_key}`: pages of a portal. The server renders them from replies of the public
 * API, so they work without a script and search engines can read them. web/portal/portal.js makes
 * them faster.
 */
import formbody from '@fastify/formbody'
import { z } from 'zod'
import { IdeaStatus } from '#schemas/rest/portal/idea.ts'
import type { ApiContext } from '../../context.ts'
import { clientAddress } from '../../http/client-address.ts'
import { replyWithError } from '../../http/error-reply.ts'
import type { ApiInstance } from '../../http/route.ts'
import { PortalLimits } from '../gate/portal-limits.ts'
import { registerAssets } from './assets.ts'
import { registerForms } from './form-routes.ts'
import { html } from './html.ts'
import { commentArea, ideaPage } from './idea-page.ts'
import { listArea, listPage } from './list-page.ts'
import { readIdea, readList, readSimilar } from './page-data.ts'
import { PageScope } from './page-scope.ts'
import { registerFeeds } from './portal-feeds.ts'
import type { ShownTag } from './portal-replies.ts'
import { similarIdeas, suggestPage } from './suggest-page.ts'
import { themeCss } from './theme.ts'
import { keepToken, visitorOf } from './visitor.ts'

const hidden = { schema: { hide: true } } as const

const text = (charactersMax: number) => z.string().max(charactersMax).catch('')
const Offset = z.coerce.number().int().min(0).max(100_000).catch(0)

/** Invalid parameters are ignored, so that an edited link still shows a page. */
const ListQuery = z.object({
  search: text(200),
  status: IdeaStatus.optional().catch(undefined),
  tag: text(200),
  sort: z.enum(['top', 'new']).catch('top'),
  offset: Offset,
  token: z.string().max(4096).optional().catch(undefined),
  part: text(20),
})
const IdeaQuery = z.object({
  offset: Offset,
  token: z.string().max(4096).optional().catch(undefined),
  part: text(20),
})
const SuggestQuery = z.object({ title: text(200) })

export async function registerPortalPages(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await app.register(formbody)
  // The content security policy has the allowed frames; X-Frame-Options cannot list them.
  app.addHook('onSend', async (_request, reply) => {
    reply.removeHeader('x-frame-options')
  })
  const limits = new PortalLimits(ctx)
  app.addHook('onRequest', async (request, reply) => {
    // Files of the page are not limited.
    if ((request.params as { project_key?: string }).project_key === undefined) return
    reply.headers(limits.takeRead('page', clientAddress(request)))
  })
  const scope = new PageScope(app, ctx, registerAssets(app))

  app.setErrorHandler((error, request, reply) => {
    try {
      scope.sendBare(request, reply, error)
    } catch {
      replyWithError(error, request, reply)
    }
  })

  app.get('/:project_key', hidden, async (request, reply) => {
    const { token, part, ...view } = ListQuery.parse(request.query)
    const page = await scope.open(request, visitorOf(request, token))
    if (token !== undefined && !isFramed(request)) {
      // The redirect removes the token from the address bar, the history and shared links.
      keepToken(reply, { base: page.frame.base, token })
      return reply.redirect(withoutToken(page.frame.base, request.url), 303)
    }
    try {
      const data = await readList(page, view, part)
      const canonical = page.canonical('')
      if (part === 'list') return scope.send(reply, page, listArea(page.frame, data).markup)
      return scope.send(reply, page, listPage(page.frame, data, canonical))
    } catch (error) {
      return scope.sendProblem(reply, page, error)
    }
  })

  app.get('/:project_key/ideas/:idea_id', hidden, async (request, reply) => {
    const { token, part, offset } = IdeaQuery.parse(request.query)
    const page = await scope.open(request, visitorOf(request, token))
    const { idea_id } = request.params as { idea_id: string }
    if (token !== undefined && !isFramed(request)) {
      keepToken(reply, { base: page.frame.base, token })
      return reply.redirect(withoutToken(page.frame.base, request.url), 303)
    }
    try {
      const data = await readIdea(page, idea_id, offset)
      const canonical = page.canonical(`/ideas/${data.idea.id}`)
      if (part === 'comments') {
        return scope.send(reply, page, (await commentArea(page.frame, data)).markup)
      }
      return scope.send(reply, page, await ideaPage(page.frame, data, canonical))
    } catch (error) {
      return scope.sendProblem(reply, page, error)
    }
  })

  app.get('/:project_key/suggest', hidden, async (request, reply) => {
    const { title } = SuggestQuery.parse(request.query)
    const page = await scope.open(request)
    try {
      const similar = await readSimilar(page, title)
      const data = { title, description: '', email: '', similar }
      return scope.send(reply, page, suggestPage(page.frame, data, page.canonical('/suggest')))
    } catch (error) {
      return scope.sendProblem(reply, page, error)
    }
  })

  app.get('/:project_key/similar', hidden, async (request, reply) => {
    const { title } = SuggestQuery.parse(request.query)
    const page = await scope.open(request)
    const similar = await readSimilar(page, title)
    const shown = similarIdeas(page.frame, similar)
    return scope.send(reply, page, html`${shown}`.markup)
  })

  app.get('/:project_key/theme.css', hidden, async (request, reply) => {
    const { api, frame } = await scope.open(request)
    const { tags } = await api
      .get<{ tags: readonly ShownTag[] }>('/tags')
      .catch(() => ({ tags: [] }))
    return reply
      .type('text/css; charset=utf-8')
      .header('cache-control', 'public, max-age=60')
      .send(themeCss(frame.config, tags))
  })

  registerForms(app, ctx, scope)
  registerFeeds(app, ctx, scope)
}

/** Frames of other sites cannot keep cookies, so there the script reads the token from the URL. */
function isFramed(request: Parameters<typeof visitorOf>[0]): boolean {
  const { 'sec-fetch-dest': shownAs } = request.headers
  return shownAs === 'iframe' || shownAs === 'empty'
}

function withoutToken(base: string, url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://here.invalid')
  searchParams.delete('token')
  const below = /\/portal\/[^/]+(?<rest>.*)/s.exec(pathname)?.groups?.['rest'] ?? ''
  const query = searchParams.toString()
  return `${base}${below}${query === '' ? '' : `?${query}`}`
}
