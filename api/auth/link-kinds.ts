/**
 * Tokens in paths: links of emails, addresses of webhooks. A kind of token opens only the routes
 * that name the kind in their configuration. Registering a route with a token and without a kind
 * fails.
 */
import type { FastifyRequest } from 'fastify'
import {
  contactTokenKinds,
  legacyTokenKind,
  type ReadContactToken,
  readContactToken,
} from '#schemas/mail/contact-token.ts'
import type { ApiContext } from '../context.ts'
import type { ApiInstance } from '../http/route.ts'

export const linkKinds = [
  ...contactTokenKinds,
  legacyTokenKind,
  'confirm',
  'data_export',
  'data_erasure',
  'portal_notice',
  'alert_stop',
  'person_link',
  'bounce_hook',
] as const
export type LinkKind = (typeof linkKinds)[number]

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The kinds of tokens that open this route. */
    linkKinds?: readonly LinkKind[]
  }
}

export interface LinkRoute {
  readonly method: string
  readonly url: string
  readonly linkKinds: readonly LinkKind[]
}

const tokenInPath = /:(?:token|secret)\b/

/**
 * Call before any route is registered. The decorator `linkRoutes` lists the routes that take a
 * token.
 */
export function requireLinkKinds(app: ApiInstance): void {
  const routes: LinkRoute[] = []
  app.decorate('linkRoutes', routes)
  app.addHook('onRoute', ({ url, method, config }) => {
    const kinds = config?.linkKinds
    if (kinds === undefined && !tokenInPath.test(url)) return
    if (kinds === undefined) throw new Error(`${url} takes a token and names no kind of it.`)
    for (const one of [method].flat()) routes.push({ method: one, url, linkKinds: kinds })
  })
}

/**
 * Reads the token of a subscriber's link. Returns undefined if this installation did not sign it,
 * or signed it for another route.
 */
export function contactTokenOf(
  request: FastifyRequest,
  token: string,
  ctx: Pick<ApiContext, 'box'>,
): ReadContactToken | undefined {
  const read = readContactToken(token, (purpose, message, mac) =>
    ctx.box.isMac(purpose, message, mac),
  )
  const opens = request.routeOptions.config.linkKinds ?? []
  return read !== undefined && opens.includes(read.kind) ? read : undefined
}
