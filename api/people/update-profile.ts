import { CodedError } from '#schemas/error-codes.ts'
import type { Me, MeChange } from '#schemas/rest/person.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import { hashPassword, isPassword } from '../auth/password.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { countPasswordCheck, forgiveAttempt, tooManyPasswords } from '../logins/login-attempts.ts'
import { deleteOtherLogins, moveLogin, type StoredLogin } from '../logins/login-store.ts'
import { chooseMembership, readMe } from '../logins/read-me.ts'
import { findPerson, listMemberships, setName, setPassword } from './person-store.ts'

export interface UpdateProfile {
  readonly login: StoredLogin
  readonly change: MeChange
}

type Context = Pick<ApiContext, 'pg' | 'clock'>

/**
 * Changes the name or the password of a person, or the organization that their login works for.
 * A new password ends all other logins of the person.
 */
export async function updateProfile(
  ctx: Context,
  actor: Actor,
  { login, change }: UpdateProfile,
): Promise<Me> {
  const { personId, loginId, csrfToken } = login
  const { name, organization_id: wanted } = change
  const organizationId =
    wanted === undefined
      ? login.organizationId
      : chooseMembership(await listMemberships(ctx.pg, personId), wanted).id
  const passwordHash = await newPasswordHash(ctx, actor, { login, change })
  await ctx.pg.transaction(async (client) => {
    if (name !== undefined) await setName(client, personId, name)
    if (organizationId !== login.organizationId) {
      await moveLogin(client, { loginId, organizationId })
    }
    if (passwordHash === undefined) return
    await setPassword(client, { personId, passwordHash, now: new Date(ctx.clock.nowMs()) })
    await deleteOtherLogins(client, { personId, keptId: loginId })
    await addAudit(client, actor, {
      action: 'person.password_changed',
      subjectType: 'person',
      subjectId: personId,
    })
  })
  const person = found(await findPerson(ctx.pg, personId))
  return readMe(ctx.pg, { person, organizationId, csrfToken })
}

/**
 * Asks for the current password, so that an unattended screen is not enough to take over a login.
 */
async function newPasswordHash(
  ctx: Context,
  actor: Actor,
  { login, change }: UpdateProfile,
): Promise<string | undefined> {
  const { current_password: current = '', new_password: wanted } = change
  if (wanted === undefined) return undefined
  const { personId } = login
  const attempt = await countPasswordCheck(personId, ctx)
  if (attempt.kind === 'too_many') throw tooManyPasswords(attempt)
  const person = await findPerson(ctx.pg, personId)
  if (!(await isPassword(person?.passwordHash ?? null, current))) {
    await addAudit(ctx.pg, actor, {
      action: 'person.password_change_failed',
      subjectType: 'person',
      subjectId: personId,
    })
    throw new CodedError('wrong_password')
  }
  await forgiveAttempt(ctx.pg, attempt)
  return hashPassword(wanted)
}
