/**
 * The cookie that identifies a login. Scripts cannot read it (HttpOnly), forms of other sites do
 * not send it (SameSite=Lax), and an installation behind TLS gets it over TLS only (Secure).
 */
import type { FastifyReply, FastifyRequest } from 'fastify'

export const loginCookieName = 'sluice_login'

/** A login ends this long after it began. */
export const loginLifeMs = 30 * 86_400_000
/** A login ends this long after its last request. */
export const loginIdleMs = 7 * 86_400_000

/** Returns undefined for an empty value as well, which some browsers send for a cleared cookie. */
export function readLoginCookie(request: Pick<FastifyRequest, 'cookies'>): string | undefined {
  return request.cookies[loginCookieName] || undefined
}

export function setLoginCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { value, apiUrl }: { readonly value: string; readonly apiUrl: string },
): void {
  const secure = isSecure(request, apiUrl)
  reply.setCookie(loginCookieName, value, { ...flags, secure, maxAge: loginLifeMs / 1000 })
}

export function clearLoginCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { apiUrl }: { readonly apiUrl: string },
): void {
  reply.setCookie(loginCookieName, '', { ...flags, secure: isSecure(request, apiUrl), maxAge: 0 })
}

const flags = { path: '/', httpOnly: true, sameSite: 'lax' } as const

/**
 * Behind a proxy that terminates TLS, requests reach us over http while the public URL is https.
 */
function isSecure(request: FastifyRequest, apiUrl: string): boolean {
  return apiUrl.startsWith('https:') || request.protocol === 'https'
}
