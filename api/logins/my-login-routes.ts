/** The logins of whoever is logged in: where they are, and ending them. */
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import { LoginList } from '#schemas/rest/person.ts'
import { addAudit } from '../audit/audit-store.ts'
import { actorOf, loginOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, replies, requireUuid } from '../http/route.ts'
import { emptyLoginCookie, isSecure, loginIdleMs } from './login-cookie.ts'
import { deleteLoginOf, deleteOtherLogins, listLogins } from './login-store.ts'

const tags = ['people']
const { 200: _ok, ...errorReplies } = replies(LoginList)

export function registerMyLogins(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/me/logins',
    schema: {
      tags,
      summary: 'List the logins of the person, last used first',
      response: replies(LoginList),
    },
    handler: async (request) => {
      const { personId, loginId } = loginOf(request)
      const nowMs = ctx.clock.nowMs()
      const logins = await listLogins(ctx.pg, {
        personId,
        now: new Date(nowMs),
        usedSince: new Date(nowMs - loginIdleMs),
      })
      const items = logins.map(({ created_at, last_used_at, expires_at, ...login }) => ({
        ...login,
        current: login.id === loginId,
        created_at: created_at.toISOString(),
        last_used_at: last_used_at.toISOString(),
        expires_at: expires_at.toISOString(),
      }))
      return { items, next_cursor: null }
    },
  })

  app.route({
    method: 'DELETE',
    url: '/me/logins',
    config: { role: 'viewer' },
    schema: {
      tags,
      summary: 'End all other logins of the person',
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      const { personId, loginId } = loginOf(request)
      await ctx.pg.transaction(async (pg) => {
        await deleteOtherLogins(pg, { personId, keptId: loginId })
        await addAudit(pg, actorOf(request), {
          action: 'person.logins_ended',
          subjectType: 'person',
          subjectId: personId,
        })
      })
      reply.code(204)
      return null
    },
  })

  app.route({
    method: 'DELETE',
    url: '/me/logins/:id',
    config: { role: 'viewer' },
    schema: {
      tags,
      summary: 'End one login of the person',
      params: z.object({ id: z.string() }),
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      const { personId, loginId } = loginOf(request)
      const id = requireUuid(request.params.id)
      await ctx.pg.transaction(async (pg) => {
        if (!(await deleteLoginOf(pg, { personId, loginId: id }))) throw new CodedError('not_found')
        await addAudit(pg, actorOf(request), {
          action: 'person.login_ended',
          subjectType: 'person',
          subjectId: personId,
          details: { login_id: id },
        })
      })
      if (id === loginId) {
        const secure = isSecure(request, ctx.apiUrl)
        reply.header('set-cookie', emptyLoginCookie({ secure }))
      }
      reply.code(204)
      return null
    },
  })
}
