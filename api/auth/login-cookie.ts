/** The cookie that says who is logged in: unreadable for scripts, not sent by other sites' forms, and behind TLS only over TLS. */
import { fastifyCookie } from '@fastify/cookie'
import type { FastifyRequest } from 'fastify'

export const loginCookieName = 'sluice_login'

/** After so long a person logs in again, however busy. */
export const loginLifeMs = 30 * 86_400_000
/** After so long without a request the login is over. */
export const loginIdleMs = 7 * 86_400_000

/** More than a browser sends with any request of ours; a longer header holds nothing of ours. */
const headerCharactersMax = 8_192

export function readLoginCookie(request: FastifyRequest): string | undefined {
  const header = request.headers.cookie
  if (header === undefined || headerCharactersMax < header.length) return undefined
  return fastifyCookie.parse(header)[loginCookieName]
}

export function formatLoginCookie(value: string, { secure }: { secure: boolean }): string {
  return fastifyCookie.serialize(loginCookieName, value, {
    ...attributes(secure),
    maxAge: loginLifeMs / 1000,
  })
}

/** Takes the cookie away again. */
export function emptyLoginCookie({ secure }: { secure: boolean }): string {
  return fastifyCookie.serialize(loginCookieName, '', { ...attributes(secure), maxAge: 0 })
}

/** A proxy ends TLS in front of us: then the public address says https, whatever reaches us. */
export function isSecure(request: FastifyRequest, apiUrl: string): boolean {
  return apiUrl.startsWith('https:') || request.protocol === 'https'
}

function attributes(secure: boolean) {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure } as const
}
