/**
 * Identifies the visitor of a page: by an id that this browser was given, or by a token that the
 * product's own site signed. Both are cookies that the script may read, because it calls the public
 * API with them; their path is that of one portal. In a frame of another site browsers do not send
 * cookies: there the script sends the same values in headers.
 */
import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface Visitor {
  /** `enduser_id` and `token` as the API takes them. */
  readonly fields: Readonly<Record<string, string>>
  readonly isKnown: boolean
  readonly hasVisitorId: boolean
  readonly hasToken: boolean
}

const visitorCookie = 'sluice_reader'
const tokenCookie = 'sluice_token'
const visitorHeader = 'x-sluice-reader'
const bearerPattern = /^Bearer +(\S+)\s*$/i
const yearSeconds = 365 * 86_400
const visitorPattern = /^[A-Za-z0-9-]{8,64}$/
/** Characters of a token. The API checks whether it is valid. */
const tokenPattern = /^[A-Za-z0-9_.-]{1,4096}$/

/** @param sent token in the URL, from the site that shows this page in a frame. */
export function visitorOf(request: FastifyRequest, sent?: string): Visitor {
  const { [visitorHeader]: named, authorization = '' } = request.headers
  const { cookies } = request
  const token = sent ?? cookies[tokenCookie] ?? bearerPattern.exec(authorization)?.[1]
  const visitorId = cookies[visitorCookie] ?? (typeof named === 'string' ? named : undefined)
  const hasToken = token !== undefined && tokenPattern.test(token)
  const hasVisitorId = visitorId !== undefined && visitorPattern.test(visitorId)
  return {
    fields: {
      ...(hasVisitorId ? { enduser_id: visitorId } : {}),
      ...(hasToken ? { token } : {}),
    },
    isKnown: hasVisitorId || hasToken,
    hasVisitorId,
    hasToken,
  }
}

/**
 * The visitor of a write. A visitor without an id gets one, which the browser keeps. Without end-
 * user auth a token does not count as an id.
 */
export function knownVisitor(
  request: FastifyRequest,
  reply: FastifyReply,
  { base, enduserAuth }: { base: string; enduserAuth: boolean },
): Visitor {
  const visitor = visitorOf(request)
  if (visitor.hasVisitorId || (enduserAuth && visitor.hasToken)) return visitor
  const visitorId = randomUUID()
  reply.setCookie(visitorCookie, visitorId, { path: base, maxAge: yearSeconds })
  const fields = { ...visitor.fields, enduser_id: visitorId }
  return { fields, isKnown: true, hasVisitorId: true, hasToken: visitor.hasToken }
}

/** Keeps a token until the browser is closed; its `exp` may end it earlier. */
export function keepToken(
  reply: FastifyReply,
  { base, token }: { base: string; token: string },
): void {
  if (!tokenPattern.test(token)) return
  reply.setCookie(tokenCookie, token, { path: base })
}
