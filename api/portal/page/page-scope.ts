/** What all pages of a portal share: whose portal it is, what the browser may do with the page, and what an error looks like. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import type { PortalConfig } from '#schemas/rest/portal-config.ts'
import { portalConfigOf } from '#schemas/rest/portal-config.ts'
import type { ApiContext } from '../../context.ts'
import { type ApiInstance, found, requireUuid } from '../../http/route.ts'
import { type PortalProject, portalDirectoryOf } from '../gate/portal-directory.ts'
import type { PageAssets } from './assets.ts'
import { makeFormStamp } from './form-stamp.ts'
import type { PortalFrame } from './frame.ts'
import { PageApi, PortalApiError } from './page-api.ts'
import { barePage, problemPage } from './problem-page.ts'
import { type Visitor, visitorOf } from './visitor.ts'
import { languageOf } from './words.ts'

export interface OpenPage {
  readonly portal: PortalProject
  readonly api: PageApi
  readonly frame: PortalFrame
  readonly canonical: (path: string) => string
}

export class PageScope {
  readonly #app: ApiInstance
  readonly #ctx: ApiContext
  readonly #assets: PageAssets
  /** Where a proxy puts this API below a path, links begin with it. */
  readonly #prefix: string
  readonly #origin: string

  constructor(app: ApiInstance, ctx: ApiContext, assets: PageAssets) {
    const { pathname, origin } = new URL(ctx.apiUrl)
    this.#app = app
    this.#ctx = ctx
    this.#assets = assets
    this.#prefix = pathname.replace(/(?<!\/)\/+$/, '')
    this.#origin = origin
  }

  /** The portal that the path names; 404 when there is none. */
  async open(request: FastifyRequest, visitor: Visitor = visitorOf(request)): Promise<OpenPage> {
    const { project_key } = request.params as { project_key: string }
    const key = requireUuid(project_key)
    const portal = found(await portalDirectoryOf(this.#app).find(key))
    const api = new PageApi(this.#app, request, `/api/v1/p/${key}`, visitor)
    const frame = this.#frame(portal, visitor)
    return { portal, api, frame, canonical: (path) => `${this.#origin}${frame.base}${path}` }
  }

  /** A page shows in any frame unless the portal has a list of sites: then in those alone. */
  send(reply: FastifyReply, { portal }: Pick<OpenPage, 'portal'>, markup: string): FastifyReply {
    const origins = portal.settings.allowedOrigins
    const ancestors = origins.length === 0 ? '*' : ["'self'", ...origins].join(' ')
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', `${pagePolicy}; frame-ancestors ${ancestors}`)
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('cache-control', 'private, no-cache')
      .header('referrer-policy', 'same-origin')
      .send(markup)
  }

  /** For people who came by a link that names no portal, or while the store is away. */
  sendBare(reply: FastifyReply, error: unknown): FastifyReply {
    const { words } = languageOf('en')
    const isGone = error instanceof CodedError && error.code === 'not_found'
    const isAway = error instanceof CodedError && error.code === 'unavailable'
    if (!isGone && !isAway) throw error
    const title = isGone ? words.notFound : words.failed
    const text = isGone ? words.notFoundText : words.unavailable
    return reply
      .code(isGone ? 404 : 503)
      .type('text/html; charset=utf-8')
      .header('content-security-policy', `${pagePolicy}; frame-ancestors *`)
      .send(barePage(words, { title, text, css: this.#asset(this.#assets.css) }))
  }

  /** What the API refused, as a page; anything else goes on to where errors become replies. */
  sendProblem(reply: FastifyReply, page: OpenPage, error: unknown): FastifyReply {
    const { words } = page.frame.language
    if (!(error instanceof PortalApiError)) throw error
    const { status, body, retryAfterSeconds } = error.reply
    if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
    const text = status === 404 ? words.notFoundText : (body.error ?? words.unavailable)
    const title = status === 404 ? words.notFound : words.failed
    const canonical = page.canonical('')
    reply.code(status)
    return this.send(reply, page, problemPage(page.frame, { title, text, canonical }))
  }

  #frame(portal: PortalProject, visitor: Visitor): PortalFrame {
    const { projectKey, settings } = portal
    const base = `${this.#prefix}/portal/${projectKey}`
    const config: PortalConfig | undefined = portalConfigOf(settings)
    const language = languageOf(config?.locale)
    const nowMs = this.#ctx.clock.nowMs()
    return {
      ...{ base, config, language, nowMs },
      api: `${this.#prefix}/api/v1/p/${projectKey}`,
      title: config?.title ?? `${portal.name} · ${language.words.title}`,
      needsToken: settings.enduserAuth && !visitor.hasToken,
      knowsVisitor: visitor.isKnown,
      assets: {
        css: this.#asset(this.#assets.css),
        js: this.#asset(this.#assets.js),
        icon: this.#asset(this.#assets.icon),
        jsParts: this.#assets.jsParts.map((part) => this.#asset(part)),
        theme: `${base}/theme.css`,
      },
      stamp: makeFormStamp(this.#ctx.box, projectKey, nowMs),
    }
  }

  #asset(path: string): string {
    return `${this.#prefix}/portal${path}`
  }
}

const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https: data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
].join('; ')

/** Other sites may not send our forms: a browser says where a request comes from. */
export function refuseForeignForm(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return
  throw new CodedError('origin_not_allowed')
}
