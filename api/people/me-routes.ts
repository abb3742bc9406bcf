/** Whoever is logged in, about themselves. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import { Me, MeChange } from '#schemas/rest/person.ts'
import { addAudit } from '../audit/audit-store.ts'
import { hashPassword, isPassword } from '../auth/password.ts'
import { actorOf, forPeople, loginOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, replies } from '../http/route.ts'
import { chooseMembership, meOf, tooManyPasswords } from '../logins/log-in.ts'
import { countPasswordCheck, forgiveAttempt } from '../logins/login-attempts.ts'
import { emptyLoginCookie, isSecure } from '../logins/login-cookie.ts'
import { deleteLogin, deleteOtherLogins, moveLogin } from '../logins/login-store.ts'
import { registerMyLogins } from '../logins/my-login-routes.ts'
import { findPerson, listMemberships, setName, setPassword } from './person-store.ts'

const tags = ['people']
const { 200: _ok, ...errorReplies } = replies(Me)

export async function registerMe(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await forPeople(app, ctx)
  registerMyLogins(app, ctx)

  app.route({
    method: 'GET',
    url: '/me',
    schema: { tags, summary: 'Who is logged in', response: replies(Me) },
    handler: (request) => replyMe(request, loginOf(request).organizationId),
  })

  app.route({
    method: 'PATCH',
    url: '/me',
    config: { role: 'viewer' },
    schema: {
      tags,
      summary: 'Change one’s name or password, or work for another of one’s organizations',
      body: MeChange,
      response: replies(Me),
    },
    handler: async (request, reply) => {
      const { name, organization_id: wanted, new_password: newPassword } = request.body
      const { personId, organizationId: current, loginId } = loginOf(request)
      const organizationId =
        wanted === undefined
          ? current
          : chooseMembership(await listMemberships(ctx.pg, personId), wanted).id
      const passwordHash =
        newPassword === undefined ? undefined : await newPasswordHash(request, reply, request.body)
      await ctx.pg.transaction(async (client) => {
        if (name !== undefined) await setName(client, personId, name)
        if (organizationId !== current) await moveLogin(client, { loginId, organizationId })
        if (passwordHash === undefined) return
        await setPassword(client, { personId, passwordHash, now: new Date(ctx.clock.nowMs()) })
        await deleteOtherLogins(client, { personId, keptId: loginId })
        await addAudit(client, actorOf(request), {
          action: 'person.password_changed',
          subjectType: 'person',
          subjectId: personId,
        })
      })
      return replyMe(request, organizationId)
    },
  })

  app.route({
    method: 'POST',
    url: '/logout',
    config: { role: 'viewer' },
    schema: {
      tags,
      summary: 'Log out: this login ends, others stay',
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      await deleteLogin(ctx.pg, loginOf(request).loginId)
      const secure = isSecure(request, ctx.apiUrl)
      reply.code(204).header('set-cookie', emptyLoginCookie({ secure }))
      return null
    },
  })

  async function replyMe(request: FastifyRequest, organizationId: string): Promise<Me> {
    const { personId, csrfToken } = loginOf(request)
    const person = found(await findPerson(ctx.pg, personId))
    return meOf(ctx.pg, { person, organizationId, csrfToken })
  }

  /** An unattended screen is not enough to take a login over. */
  async function newPasswordHash(
    request: FastifyRequest,
    reply: FastifyReply,
    { current_password: password = '', new_password: wanted }: MeChange,
  ): Promise<string> {
    const { personId } = loginOf(request)
    const attempt = await countPasswordCheck(personId, ctx)
    if (attempt.kind === 'too_many') throw tooManyPasswords(attempt, reply)
    const person = await findPerson(ctx.pg, personId)
    if (!(await isPassword(person?.passwordHash ?? null, password))) {
      await addAudit(ctx.pg, actorOf(request), {
        action: 'person.password_change_failed',
        subjectType: 'person',
        subjectId: personId,
      })
      throw new CodedError('wrong_password')
    }
    await forgiveAttempt(ctx.pg, attempt)
    if (wanted === undefined) throw new CodedError('validation_failed')
    return hashPassword(wanted)
  }
}
