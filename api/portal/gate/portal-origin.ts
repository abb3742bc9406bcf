/**
 * Decides which pages may call a portal, and sets the CORS headers. A request without `Origin`
 * passes: servers and the portal's own page send none. Replies never allow credentials, so a page
 * can do nothing that a server could not.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { allowsOrigin } from '#schemas/allowed-origin.ts'
import type { PortalProject } from './portal-directory.ts'

/** More than any valid origin: a host has at most 253 characters. */
const originCharactersMax = 300
/** Visible ASCII (RFC 6454 §7); the value is repeated in a header of the reply. */
const originPattern = /^[\x21-\x7e]+$/
const preflightSecondsMax = 600

const exposedHeaders =
  'Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id'

export function originOf(request: FastifyRequest): string | undefined {
  const { origin } = request.headers
  return origin === undefined || origin === '' ? undefined : origin
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/** Origins of the hosted page, which every portal allows. A loopback address has several names. */
export function ownOrigins(apiUrl: string): ReadonlySet<string> {
  const { origin, protocol, hostname, port } = new URL(apiUrl)
  if (!loopbackNames.includes(hostname)) return new Set([origin])
  const suffix = port === '' ? '' : `:${port}`
  return new Set(loopbackNames.map((name) => `${protocol}//${name}${suffix}`))
}

export function mayCall(
  origin: string,
  allowed: readonly string[],
  own: ReadonlySet<string>,
): boolean {
  const plain = withoutDefaultPort(origin.toLowerCase())
  return own.has(plain) || allowsOrigin(allowed, plain)
}

/**
 * Whether the request is from no page, from a page on the portal's list or from the hosted page.
 */
export function mayPageCall(
  request: FastifyRequest,
  { settings }: Pick<PortalProject, 'settings'>,
  own: ReadonlySet<string>,
): boolean {
  const origin = originOf(request)
  return origin === undefined || mayCall(origin, settings.allowedOrigins, own)
}

/**
 * Adds the CORS headers to every reply for a page that may call, errors too: without them the
 * browser hides from the page why a call failed. It uses the cached portal, before anything is
 * read; call `setCorsOrigin` after the portal has been read. A portal that is not cached allows no
 * page.
 */
export function addCorsHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  gate: {
    readonly recalled: Pick<PortalProject, 'settings'> | undefined
    /** The path has no valid key, so there is no list that could refuse the page. */
    readonly isNoKey: boolean
    readonly own: ReadonlySet<string>
  },
): void {
  reply.header('vary', 'Origin').header('cross-origin-resource-policy', 'cross-origin')
  const { recalled, isNoKey, own } = gate
  const isAllowed = recalled === undefined ? isNoKey : mayPageCall(request, recalled, own)
  setCorsOrigin(request, reply, isAllowed)
}

export function setCorsOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
  isAllowed: boolean,
): void {
  reply.removeHeader('access-control-allow-origin').removeHeader('access-control-expose-headers')
  const origin = originOf(request)
  if (!isAllowed || origin === undefined) return
  if (originCharactersMax < origin.length || !originPattern.test(origin)) return
  reply
    .header('access-control-allow-origin', origin)
    .header('access-control-expose-headers', exposedHeaders)
}

export function answerPreflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .header('access-control-allow-methods', 'GET, HEAD, POST, DELETE')
    .header('access-control-allow-headers', 'Content-Type, Authorization')
    .header('access-control-max-age', preflightSecondsMax)
    .send()
}

function withoutDefaultPort(origin: string): string {
  if (origin.startsWith('https://')) return origin.replace(/:443$/, '')
  return origin.startsWith('http://') ? origin.replace(/:80$/, '') : origin
}
