/**
 * Tokens that stand in a path: links of emails, addresses of webhooks. Each kind opens the routes that name it in their
 * configuration and no other one. A route that takes a token and names no kind does not start.
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

/** Call before any route is registered: the decorator `linkRoutes` lists those that take a token. */
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

/** The token of a subscriber's link; undefined: this installation did not sign it, or signed it for another route. */
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
