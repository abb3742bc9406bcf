/** Routes of the logins of the person who is logged in: `/api/v1/me/logins`. */
import { z } from 'zod'
import { LoginList } from '#schemas/rest/person.ts'
import { actorOf, loginOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, replies, requireUuid } from '../http/route.ts'
import { endLogin } from './end-login.ts'
import { endOtherLogins } from './end-other-logins.ts'
import { clearLoginCookie, loginIdleMs } from './login-cookie.ts'
import { deleteLogin, type ListedLogin, listLogins } from './login-store.ts'

const tags = ['logins']
const { 200: _ok, ...errorReplies } = replies(LoginList)

export function registerMyLogins(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/me/logins',
    schema: {
      operationId: 'listLogins',
      tags,
      summary: 'List your logins',
      description: 'Most recently used first.',
      response: replies(LoginList),
    },
    handler: async (request) => {
      const { personId, loginId } = loginOf(request)
      const nowMs = ctx.clock.nowMs()
      const times = { now: new Date(nowMs), usedSince: new Date(nowMs - loginIdleMs) }
      const logins = await listLogins(ctx.pg, { personId, ...times })
      return { items: logins.map((login) => viewOf(login, loginId)), next_cursor: null }
    },
  })

  app.route({
    method: 'DELETE',
    url: '/me/logins',
    config: { role: 'viewer' },
    schema: {
      operationId: 'endOtherLogins',
      tags,
      summary: 'End all your other logins',
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      const { personId, loginId: keptId } = loginOf(request)
      await endOtherLogins(ctx, actorOf(request), { personId, keptId })
      reply.code(204)
      return null
    },
  })

  app.route({
    method: 'DELETE',
    url: '/me/logins/:id',
    config: { role: 'viewer' },
    schema: {
      operationId: 'endLogin',
      tags,
      summary: 'End one of your logins',
      params: z.object({ id: z.string() }),
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      const { personId, loginId: currentId } = loginOf(request)
      const loginId = requireUuid(request.params.id)
      await endLogin(ctx, actorOf(request), { personId, loginId })
      if (loginId === currentId) clearLoginCookie(reply)
      reply.code(204)
      return null
    },
  })

  app.route({
    method: 'POST',
    url: '/logout',
    config: { role: 'viewer' },
    schema: {
      operationId: 'logOut',
      tags,
      summary: 'Log out',
      description: 'Ends this login and clears its cookie. Other logins stay.',
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      await deleteLogin(ctx.pg, loginOf(request).loginId)
      clearLoginCookie(reply)
      reply.code(204)
      return null
    },
  })
}

function viewOf(
  { created_at, last_used_at, expires_at, ...login }: ListedLogin,
  currentId: string,
) {
  return {
    ...login,
    current: login.id === currentId,
    created_at: created_at.toISOString(),
    last_used_at: last_used_at.toISOString(),
    expires_at: expires_at.toISOString(),
  }
}
