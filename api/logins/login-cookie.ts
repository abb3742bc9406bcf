/**
 * The cookie that says who is logged in (RFC 6265): unreadable for scripts, not sent by other sites' forms, and behind TLS only over
 * TLS. Its value is URL-safe base64, so there is nothing to quote or to decode.
 */
import type { FastifyRequest } from 'fastify'

export const loginCookieName = 'sluice_login'

/** After so long a person logs in again, however busy. */
export const loginLifeMs = 30 * 86_400_000
/** After so long without a request the login is over. */
export const loginIdleMs = 7 * 86_400_000

/** The first of the name; an empty one is what a browser sends that was told to forget it. */
export function readLoginCookie(request: FastifyRequest): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [name, value] = pair.split('=', 2)
    if (name?.trim() === loginCookieName) return value?.trim() || undefined
  }
  return undefined
}

export function formatLoginCookie(value: string, { secure }: { secure: boolean }): string {
  return format(value, { secure, seconds: loginLifeMs / 1000 })
}

/** Takes the cookie away again. */
export function emptyLoginCookie({ secure }: { secure: boolean }): string {
  return format('', { secure, seconds: 0 })
}

/** A proxy ends TLS in front of us: then the public address says https, whatever reaches us. */
export function isSecure(request: FastifyRequest, apiUrl: string): boolean {
  return apiUrl.startsWith('https:') || request.protocol === 'https'
}

function format(value: string, { secure, seconds }: { secure: boolean; seconds: number }): string {
  const cookie = `${loginCookieName}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax`
  return secure ? `${cookie}; Secure` : cookie
}
