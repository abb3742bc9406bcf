/**
 * The gate of every route for people. Each request passes the same checks in this order: a login (401), its rate (429), for
 * writes the token that no other site knows (403), and a role that allows the route (403). All of it runs before the body is read.
 */
import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import { apiRequestsPerMinuteMax } from '#schemas/limits.ts'
import type { Actor } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { clientAddress } from '../http/client-address.ts'
import type { ApiInstance } from '../http/route.ts'
import { loginIdleMs, readLoginCookie } from '../logins/login-cookie.ts'
import {
  findLogin,
  type Person,
  type Role,
  type StoredLogin,
  touchLogin,
} from '../logins/login-store.ts'
import { rateHeaders } from '../rate-limits/rate-window-store.ts'
import { SlidingWindow } from '../rate-limits/sliding-window.ts'
import type { Caller } from './access-token.ts'
import { hashSecret, isToken } from './secret.ts'

export type { Person, Role } from '../logins/login-store.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The least role that may call this. Without one: `viewer` for reads, `member` for the rest. */
    role?: Role
  }
}

const windowMs = 60_000
/** Logins and addresses whose rate is remembered. */
const ratesKeptMax = 10_000
const touchEveryMs = 60_000

/** Call once, on the whole API: what one login asks of several groups of routes is counted together. */
export function countLogins(app: ApiInstance): void {
  app.decorate('loginRate', new SlidingWindow({ windowMs, keysMax: ratesKeptMax }))
  app.decorateRequest('login')
}

/** All routes of this scope are for people. Their roles stand in `config: { role }`. */
export async function forPeople(scope: ApiInstance, ctx: ApiContext): Promise<void> {
  scope.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, security: [{ login: [] }] }
  })
  scope.addHook('onRequest', (request, reply) => admitPerson(request, reply, ctx))
  scope.addHook('onResponse', (request) => noteLoginUse(request, ctx))
}

/** Throws, or leaves behind what `personOf` tells. */
export async function admitPerson(
  request: FastifyRequest,
  reply: FastifyReply,
  ctx: ApiContext,
): Promise<void> {
  const login = await findLoginOf(request, ctx).catch((error: unknown) => {
    // A guess has no login to be counted by, so it is counted by address.
    if (error instanceof CodedError && error.code === 'invalid_credentials') {
      countRequest(request, reply, `guess:${clientAddress(request)}`, ctx)
    }
    throw error
  })
  request.setDecorator('login', login)
  countRequest(request, reply, login.loginId, ctx)
  if (!isRead(request)) requireCsrfToken(request, login)
  requireRole(login, request.routeOptions.config.role ?? (isRead(request) ? 'viewer' : 'member'))
}

export function personOf(request: FastifyRequest): Person {
  const { csrfToken: _secret, lastUsedAt: _time, ...person } = loginOf(request)
  return person
}

export function loginOf(request: FastifyRequest): StoredLogin {
  return request.getDecorator<StoredLogin>('login')
}

/** For the audit log: the person, or on routes that take a token as well the token. */
export function actorOf(request: FastifyRequest): Actor {
  const { ip } = request
  const login = request.getDecorator<StoredLogin | null | undefined>('login')
  if (login) {
    const { organizationId, personId, email } = login
    return { organizationId, personId, name: email, via: 'login', ip }
  }
  const { organizationId, label } = request.getDecorator<Caller>('caller')
  return { organizationId, personId: null, name: label, via: 'token', ip }
}

/** At most once a minute: a login that nobody uses ends by itself. */
export async function noteLoginUse(request: FastifyRequest, ctx: ApiContext): Promise<void> {
  const login = request.getDecorator<StoredLogin | undefined>('login')
  const nowMs = ctx.clock.nowMs()
  if (!login || nowMs - login.lastUsedAt.getTime() < touchEveryMs) return
  try {
    await touchLogin(ctx.pg, login.loginId, new Date(nowMs))
  } catch (error) {
    ctx.log.warn({ code: 'login_use_not_noted', err: error }, 'A login’s last use was not stored.')
  }
}

/** One answer for all that is no login, so that a guess learns nothing. */
async function findLoginOf(request: FastifyRequest, ctx: ApiContext): Promise<StoredLogin> {
  const value = readLoginCookie(request)
  if (value === undefined) {
    throw new CodedError('missing_credentials', { message: 'Log in first: POST /login.' })
  }
  if (!isToken(value)) throw new CodedError('invalid_credentials')
  const nowMs = ctx.clock.nowMs()
  const login = await findLogin(ctx.pg, {
    tokenHash: hashSecret(value),
    now: new Date(nowMs),
    usedSince: new Date(nowMs - loginIdleMs),
  })
  if (login === undefined) throw new CodedError('invalid_credentials')
  return login
}

function countRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  key: string,
  ctx: ApiContext,
): void {
  const rate = request.server.getDecorator<SlidingWindow>('loginRate')
  const hit = rate.hit(key, apiRequestsPerMinuteMax, ctx.clock.nowMs())
  reply.headers(rateHeaders(hit, hit.isFull ? hit.resetSeconds : undefined))
  if (hit.isFull) throw new CodedError('rate_limited')
}

function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

function requireCsrfToken(request: FastifyRequest, login: StoredLogin): void {
  const sent = Buffer.from(String(request.headers['x-csrf-token'] ?? ''))
  const wanted = Buffer.from(login.csrfToken)
  if (sent.length === wanted.length && timingSafeEqual(sent, wanted)) return
  throw new CodedError('csrf_failed')
}

const ranks = { viewer: 0, member: 1, owner: 2 } as const satisfies Record<Role, number>

export function requireRole(person: Pick<Person, 'role'>, role: Role): void {
  if (ranks[role] <= ranks[person.role]) return
  throw new CodedError('missing_role', {
    message: `This needs the role ${role}; yours is ${person.role}.`,
  })
}
