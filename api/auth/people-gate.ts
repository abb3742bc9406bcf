/**
 * Checks every request of a route for people, in this order: a login (401), its rate limit (429),
 * the CSRF token of writes (403), and the role that the route needs (403). All of it happens before
 * the body is read.
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
import { countRequest } from '../rate-limits/count-request.ts'
import { SlidingWindow } from '../rate-limits/sliding-window.ts'
import type { Caller } from './access-token.ts'
import { hashSecret, isToken } from './secret.ts'

export type { Person, Role } from '../logins/login-store.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The lowest role that may call the route. Default: `viewer` for reads, `member` for writes.
     */
    role?: Role
  }
}

const windowMs = 60_000
/** Logins and client addresses whose requests are counted. */
const ratesKeptMax = 10_000
const touchEveryMs = 60_000

/** Call once for the whole API, so that the requests of a login count together over all routes. */
export function countLogins(app: ApiInstance): void {
  app.decorate('loginRate', new SlidingWindow({ windowMs, keysMax: ratesKeptMax }))
  app.decorateRequest('login')
}

/** Makes all routes of the scope require a login. `config: { role }` says which role. */
export async function forPeople(scope: ApiInstance, ctx: ApiContext): Promise<void> {
  scope.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, security: [{ login: [] }] }
  })
  scope.addHook('onRequest', (request, reply) => admitPerson(request, reply, ctx))
  scope.addHook('onResponse', (request) => noteLoginUse(request, ctx))
}

/** Throws, or sets the login that `personOf` and `loginOf` return. */
export async function admitPerson(
  request: FastifyRequest,
  reply: FastifyReply,
  ctx: ApiContext,
): Promise<void> {
  const login = await admitLogin(request, reply, ctx)
  if (!isRead(request)) requireCsrfToken(login, request.headers['x-csrf-token'])
  requireRole(login, request.routeOptions.config.role ?? (isRead(request) ? 'viewer' : 'member'))
}

/** Throws, or returns the login, which `personOf` and `loginOf` return then as well. */
export async function admitLogin(
  request: FastifyRequest,
  reply: FastifyReply,
  ctx: ApiContext,
): Promise<StoredLogin> {
  const login = await findLoginOf(request, ctx).catch((error: unknown) => {
    // An invalid login is a guess, which is counted by client address.
    if (error instanceof CodedError && error.code === 'invalid_credentials') {
      countOf(request, reply, `guess:${clientAddress(request)}`, ctx)
    }
    throw error
  })
  request.setDecorator('login', login)
  countOf(request, reply, login.loginId, ctx)
  return login
}

export function personOf(request: FastifyRequest): Person {
  const { csrfToken: _secret, lastUsedAt: _time, ...person } = loginOf(request)
  return person
}

export function loginOf(request: FastifyRequest): StoredLogin {
  return request.getDecorator<StoredLogin>('login')
}

/** The actor for the audit log: the person, or the access token on routes that take both. */
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

/** Stores the time of the last use, at most once per minute. An unused login expires. */
export async function noteLoginUse(request: FastifyRequest, ctx: ApiContext): Promise<void> {
  const login = request.getDecorator<StoredLogin | undefined>('login')
  const nowMs = ctx.clock.nowMs()
  if (!login || nowMs - login.lastUsedAt.getTime() < touchEveryMs) return
  try {
    await touchLogin(ctx.pg, login.loginId, new Date(nowMs))
  } catch (error) {
    ctx.log.warn(
      { code: 'login_use_not_noted', err: error },
      'Storing the last use of a login failed.',
    )
  }
}

/** Malformed, unknown and expired values get the same reply, so that a guess learns nothing. */
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

function countOf(request: FastifyRequest, reply: FastifyReply, key: string, ctx: ApiContext): void {
  const window = request.server.getDecorator<SlidingWindow>('loginRate')
  const nowMs = ctx.clock.nowMs()
  countRequest(window, reply, { key, hitsMax: apiRequestsPerMinuteMax, nowMs })
}

function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Throws `csrf_failed` unless `given` is the token of the login. */
export function requireCsrfToken({ csrfToken }: StoredLogin, given: unknown): void {
  const sent = Buffer.from(String(given ?? ''))
  const wanted = Buffer.from(csrfToken)
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
