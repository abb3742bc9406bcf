import { CodedError } from '#schemas/error-codes.ts'
import type { Me } from '#schemas/rest/person.ts'
import { addAudit, addFailedLogin } from '../audit/audit-store.ts'
import { isPassword } from '../auth/password.ts'
import type { ApiContext } from '../context.ts'
import { findPersonByEmail, listMemberships, type StoredPerson } from '../people/person-store.ts'
import { countAttempt, forgiveAttempt, tooManyPasswords } from './login-attempts.ts'
import type { LoginRequest } from './login-request.ts'
import { openLogin } from './open-login.ts'
import { chooseMembership, readMe } from './read-me.ts'

export interface LogIn {
  readonly email: string
  readonly password: string
  /** Undefined: the organization that the person joined first. */
  readonly organizationId: string | undefined
}

export interface LoggedIn {
  readonly me: Me
  /** The value of the login cookie. */
  readonly token: string
}

export async function logIn(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  request: LoginRequest,
  { email, password, organizationId: wanted }: LogIn,
): Promise<LoggedIn> {
  const person = await checkPassword(ctx, request, { email, password })
  const memberships = await listMemberships(ctx.pg, person.id)
  const { id: organizationId } = chooseMembership(memberships, wanted)
  const actor = {
    organizationId,
    personId: person.id,
    name: person.email,
    via: 'login',
    ip: request.ip,
  } as const
  const { token, csrfToken } = await ctx.pg.transaction(async (client) => {
    await addAudit(client, actor, {
      action: 'person.logged_in',
      subjectType: 'person',
      subjectId: person.id,
    })
    return openLogin(client, { personId: person.id, organizationId, request }, ctx)
  })
  return { me: await readMe(ctx.pg, { person, organizationId, csrfToken }), token }
}

/**
 * An unknown address, a wrong password and an invitation that was not accepted yet get the same
 * reply after the same time. For that, a failed log-in is written to the audit log after the reply.
 */
async function checkPassword(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  request: LoginRequest,
  given: { readonly email: string; readonly password: string },
): Promise<StoredPerson> {
  const email = given.email.trim().toLowerCase()
  const attempt = await countAttempt({ email, client: request.client }, ctx)
  if (attempt.kind === 'too_many') throw tooManyPasswords(attempt)
  const person = await findPersonByEmail(ctx.pg, email)
  const isRight = await isPassword(person?.passwordHash ?? null, given.password)
  if (!isRight || person === undefined) {
    request.afterReply('login_failed', async () => {
      if (person !== undefined) await addFailedLogin(ctx.pg, { person, ip: request.ip })
    })
    throw new CodedError('wrong_password')
  }
  await forgiveAttempt(ctx.pg, attempt)
  return person
}
