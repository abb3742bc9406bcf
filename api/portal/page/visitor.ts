/**
 * Who looks at a page: an id that this browser was given, or a token that the product's own site signed. Both are cookies that the
 * script may read, because it calls the public API with them; they belong to one portal's pages and to nothing else of ours. In a
 * frame of another site browsers keep cookies back: there the script sends the same in headers.
 */
import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface Visitor {
  /** As the API takes them. */
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
/** What a token may be made of; whether it is one, the API decides. */
const tokenPattern = /^[A-Za-z0-9_.-]{1,4096}$/

/** @param sent a token in the address, from the site that shows this page in a frame. */
export function visitorOf(request: FastifyRequest, sent?: string): Visitor {
  const { [visitorHeader]: named, authorization = '' } = request.headers
  const token = sent ?? cookieOf(request, tokenCookie) ?? bearerPattern.exec(authorization)?.[1]
  const visitorId =
    cookieOf(request, visitorCookie) ?? (typeof named === 'string' ? named : undefined)
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

/** For a write: whoever has no id yet gets one, and keeps it. A token names nobody where the portal has no end-user auth. */
export function knownVisitor(
  request: FastifyRequest,
  reply: FastifyReply,
  { base, enduserAuth }: { base: string; enduserAuth: boolean },
): Visitor {
  const visitor = visitorOf(request)
  if (visitor.hasVisitorId || (enduserAuth && visitor.hasToken)) return visitor
  const visitorId = randomUUID()
  setCookie(request, reply, { name: visitorCookie, value: visitorId, base, maxAge: yearSeconds })
  const fields = { ...visitor.fields, enduser_id: visitorId }
  return { fields, isKnown: true, hasVisitorId: true, hasToken: visitor.hasToken }
}

/** Until the browser is closed: a token tells by itself when it ends. */
export function keepToken(
  request: FastifyRequest,
  reply: FastifyReply,
  { base, token }: { base: string; token: string },
): void {
  if (!tokenPattern.test(token)) return
  setCookie(request, reply, { name: tokenCookie, value: token, base })
}

function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  cookie: { name: string; value: string; base: string; maxAge?: number },
): void {
  const { name, value, base, maxAge } = cookie
  const age = maxAge === undefined ? '' : `; Max-Age=${maxAge}`
  const secure = request.protocol === 'https' ? '; Secure' : ''
  reply.header('set-cookie', `${name}=${value}; Path=${base}; SameSite=Lax${age}${secure}`)
}

function cookieOf(request: FastifyRequest, name: string): string | undefined {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [key, ...value] = part.trim().split('=')
    if (key === name) return value.join('=')
  }
  return undefined
}
