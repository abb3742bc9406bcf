/**
 * The cookie that identifies a login. Scripts cannot read it (HttpOnly). `Secure` and `SameSite`
 * are defaults of every cookie (`api/http/cookies.ts`).
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

export function setLoginCookie(reply: FastifyReply, value: string): void {
  reply.setCookie(loginCookieName, value, { ...flags, maxAge: loginLifeMs / 1000 })
}

export function clearLoginCookie(reply: FastifyReply): void {
  reply.setCookie(loginCookieName, '', { ...flags, maxAge: 0 })
}

const flags = { path: '/', httpOnly: true } as const
