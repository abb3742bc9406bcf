/** Who somebody is, by address and password; and the login that follows from it. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import type { Me } from '#schemas/rest/person.ts'
import { addFailedLogin } from '../audit/audit-store.ts'
import { isPassword } from '../auth/password.ts'
import { makeToken } from '../auth/secret.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { backgroundOf } from '../http/background-work.ts'
import { clientIp } from '../http/client-address.ts'
import {
  findPersonByEmail,
  listMemberships,
  type Membership,
  type StoredPerson,
} from '../people/person-store.ts'
import { countAttempt, forgiveAttempt, loginClientOf } from './login-attempts.ts'
import { formatLoginCookie, isSecure, loginIdleMs, loginLifeMs } from './login-cookie.ts'
import { rememberLoginNetwork } from './login-network-store.ts'
import { addLogin, sweepLogins } from './login-store.ts'

const loginsPerPersonMax = 50

/**
 * Unknown address, wrong password and an invitation that was never accepted get one answer, after one time: that a log-in failed is
 * written down after the reply.
 */
export async function checkPassword(
  given: { readonly email: string; readonly password: string },
  request: FastifyRequest,
  reply: FastifyReply,
  ctx: ApiContext,
): Promise<StoredPerson> {
  const email = given.email.trim().toLowerCase()
  const attempt = await countAttempt({ email, client: loginClientOf(request, ctx) }, ctx)
  if (attempt.kind === 'too_many') throw tooManyPasswords(attempt, reply)
  const person = await findPersonByEmail(ctx.pg, email)
  const isRight = await isPassword(person?.passwordHash ?? null, given.password)
  if (!isRight || person === undefined) {
    backgroundOf(reply).after(reply, 'login_failed', async () => {
      if (person !== undefined) await addFailedLogin(ctx.pg, { person, ip: clientIp(request) })
    })
    throw new CodedError('wrong_password')
  }
  await forgiveAttempt(ctx.pg, attempt)
  return person
}

export function tooManyPasswords(
  attempt: { readonly retryAfterSeconds: number },
  reply: FastifyReply,
): CodedError {
  reply.header('retry-after', attempt.retryAfterSeconds)
  return new CodedError('rate_limited', {
    message: `Too many wrong passwords: try again in ${attempt.retryAfterSeconds} s.`,
  })
}

/** The person's login in one organization, as a cookie of the reply. */
export async function openLogin(
  pg: Database,
  person: { readonly id: string; readonly organizationId: string },
  { request, reply, ctx }: { request: FastifyRequest; reply: FastifyReply; ctx: ApiContext },
): Promise<{ csrfToken: string }> {
  const nowMs = ctx.clock.nowMs()
  const token = makeToken()
  const csrfToken = makeToken().value
  await addLogin(pg, {
    personId: person.id,
    organizationId: person.organizationId,
    tokenHash: token.hash,
    csrfToken,
    userAgent: request.headers['user-agent'] ?? null,
    ip: clientIp(request),
    now: new Date(nowMs),
    expiresAt: new Date(nowMs + loginLifeMs),
  })
  await sweepLogins(pg, {
    personId: person.id,
    now: new Date(nowMs),
    usedSince: new Date(nowMs - loginIdleMs),
    loginsMax: loginsPerPersonMax,
  })
  const { key: network } = loginClientOf(request, ctx)
  await rememberLoginNetwork(pg, { personId: person.id, network, now: new Date(nowMs) })
  const secure = isSecure(request, ctx.apiUrl)
  reply.header('set-cookie', formatLoginCookie(token.value, { secure }))
  return { csrfToken }
}

/** The one that was asked for, else the first that this person joined. */
export function chooseMembership(
  memberships: readonly Membership[],
  organizationId: string | undefined,
): Membership {
  const chosen =
    organizationId === undefined
      ? memberships[0]
      : memberships.find(({ id }) => id === organizationId.toLowerCase())
  if (chosen !== undefined) return chosen
  throw new CodedError('missing_role', { message: 'You do not belong to this organization.' })
}

export async function meOf(
  pg: Database,
  login: {
    readonly person: { readonly id: string; readonly email: string; readonly name: string | null }
    readonly organizationId: string
    readonly csrfToken: string
  },
): Promise<Me> {
  const organizations = await listMemberships(pg, login.person.id)
  const { id, name, role } = chooseMembership(organizations, login.organizationId)
  return {
    id: login.person.id,
    email: login.person.email,
    name: login.person.name ?? login.person.email,
    role,
    organization: { id, name },
    organizations,
    csrf_token: login.csrfToken,
  }
}
