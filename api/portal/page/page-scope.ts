/** Shared by all pages of a portal: the portal, the headers of a page, and pages of errors. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CodedError, type ErrorCode, errorCodes } from '#schemas/error-codes.ts'
import type { PortalConfig } from '#schemas/rest/portal/portal-config.ts'
import { portalConfigOf } from '#schemas/rest/portal/portal-config.ts'
import type { ApiContext } from '../../context.ts'
import { type ApiInstance, found, requireUuid } from '../../http/route.ts'
import { type PortalProject, portalDirectoryOf } from '../gate/portal-directory.ts'
import { PortalLimitError } from '../gate/portal-limits.ts'
import { ownOrigins } from '../gate/portal-origin.ts'
import { readBrandingPreview } from '../settings/branding-preview.ts'
import type { PageAssets } from './assets.ts'
import { isForeignForm } from './foreign-form.ts'
import { makeFormStamp } from './form-stamp.ts'
import type { PortalFrame } from './frame.ts'
import { PageApi, PortalApiError } from './page-api.ts'
import { barePage, problemPage } from './problem-page.ts'
import { type Visitor, visitorOf } from './visitor.ts'
import { refusalSentence } from './words/refusals.ts'
import { languageOf } from './words/words.ts'

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
  /** Path prefix of API_URL, with which links start. */
  readonly #prefix: string
  readonly #origin: string
  readonly #own: ReadonlySet<string>

  constructor(app: ApiInstance, ctx: ApiContext, assets: PageAssets) {
    const { pathname, origin } = new URL(ctx.apiUrl)
    this.#app = app
    this.#ctx = ctx
    this.#assets = assets
    this.#prefix = pathname.replace(/(?<!\/)\/+$/, '')
    this.#origin = origin
    this.#own = ownOrigins(ctx.apiUrl)
  }

  /** Opens the portal that the path names. Throws not_found if there is none. */
  async open(request: FastifyRequest, visitor: Visitor = visitorOf(request)): Promise<OpenPage> {
    const { project_key } = request.params as { project_key: string }
    const key = requireUuid(project_key)
    const portal = found(await portalDirectoryOf(this.#app).find(key))
    const api = new PageApi(this.#app, request, `/api/v1/p/${key}`, visitor)
    const frame = this.#frame(portal, visitor, previewIn(request))
    return { portal, api, frame, canonical: (path) => `${this.#origin}${frame.base}${path}` }
  }

  /** Sends a page. It may be framed by any site, or by those on the list of the portal. */
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

  /**
   * Sends a page without a portal: unknown key, rate limit, or store down. The language is that of
   * the cached portal. Throws errors that are not refusals.
   */
  sendBare(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    const code = codeOf(error)
    if (code === undefined) throw error
    if (error instanceof PortalLimitError) reply.headers(error.headers)
    if (code === 'unavailable') reply.header('retry-after', unavailableRetrySeconds)
    const language = this.#languageOf(request)
    const { words } = language
    const isGone = code === 'not_found'
    const title = isGone ? words.notFound : words.failed
    const body = { code, details: error instanceof CodedError ? [...(error.details ?? [])] : [] }
    const text = isGone ? words.notFoundText : refusalSentence(words, { body, limit: undefined })
    return reply
      .code(errorCodes[code][0])
      .type('text/html; charset=utf-8')
      .header('content-security-policy', `${pagePolicy}; frame-ancestors *`)
      .send(barePage(language, { title, text, css: this.#asset(this.#assets.css) }))
  }

  /** Sends a refusal of the API as a page. Throws other errors. */
  sendProblem(reply: FastifyReply, page: OpenPage, error: unknown): FastifyReply {
    const { words } = page.frame.language
    if (!(error instanceof PortalApiError)) throw error
    const { status, body, retryAfterSeconds } = error.reply
    if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
    const text =
      status === 404
        ? words.notFoundText
        : refusalSentence(words, { body, limit: error.reply.limit })
    const title = status === 404 ? words.notFound : words.failed
    const canonical = page.canonical('')
    reply.code(status)
    return this.send(reply, page, problemPage(page.frame, { title, text, canonical }))
  }

  /** Refuses a form that another site sent. Nothing of it was read. */
  sendForeignForm(reply: FastifyReply, page: OpenPage): FastifyReply {
    const { words } = page.frame.language
    const problem = { title: words.failed, text: words.foreignForm, canonical: page.canonical('') }
    reply.code(403)
    return this.send(reply, page, problemPage(page.frame, problem))
  }

  /** Whether another site sent the form. */
  isForeignForm(request: FastifyRequest): boolean {
    return isForeignForm(request, this.#own)
  }

  #languageOf(request: FastifyRequest) {
    const { project_key } = (request.params ?? {}) as { project_key?: string }
    const portal = portalDirectoryOf(this.#app).recall(project_key?.toLowerCase() ?? '')
    return languageOf(portal && portalConfigOf(portal.settings)?.locale)
  }

  #frame(portal: PortalProject, visitor: Visitor, token: string | undefined): PortalFrame {
    const { projectKey } = portal
    const base = `${this.#prefix}/portal/${projectKey}`
    const nowMs = this.#ctx.clock.nowMs()
    const preview = token && readBrandingPreview(this.#ctx.box, { token, projectKey, nowMs })
    const settings = preview ? { ...portal.settings, branding: preview } : portal.settings
    const config: PortalConfig | undefined = portalConfigOf(settings)
    const language = languageOf(config?.locale)
    return {
      base,
      config,
      language,
      nowMs,
      api: `${this.#prefix}/api/v1/p/${projectKey}`,
      title: config?.title ?? `${portal.name} · ${language.words.title}`,
      needsToken: settings.enduserAuth && !visitor.hasToken,
      knowsVisitor: visitor.isKnown,
      assets: {
        css: this.#asset(this.#assets.css),
        js: this.#asset(this.#assets.js),
        icon: this.#asset(this.#assets.icon),
        jsParts: this.#assets.jsParts.map((part) => this.#asset(part)),
        theme: `${base}/theme.css${preview ? `?preview=${token}` : ''}`,
      },
      stamp: makeFormStamp(this.#ctx.box, projectKey, nowMs),
    }
  }

  #asset(path: string): string {
    return `${this.#prefix}/portal${path}`
  }
}

/** Unsaved branding that a member looks at. Anything else in its place is ignored. */
function previewIn(request: FastifyRequest): string | undefined {
  const { preview } = request.query as { preview?: unknown }
  return typeof preview === 'string' && previewPattern.test(preview) ? preview : undefined
}

const previewPattern = /^[A-Za-z0-9_.-]{1,8000}$/

const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https: data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
].join('; ')

/** Time in which a store usually restarts, in seconds. */
const unavailableRetrySeconds = 5

/** Undefined: not a refusal, but an internal error. */
function codeOf(error: unknown): ErrorCode | undefined {
  if (error instanceof CodedError) return error.code === 'internal' ? undefined : error.code
  const { statusCode } = error as { statusCode?: number }
  if (statusCode === 413) return 'body_too_large'
  if (statusCode === 415) return 'unsupported_media_type'
  return statusCode !== undefined && 400 <= statusCode && statusCode < 500
    ? 'validation_failed'
    : undefined
}
