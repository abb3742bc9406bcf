/** The users of a portal: find, trust, block, erase. */
import { z } from 'zod'
import {
  PortalUser,
  PortalUserChange,
  PortalUserPage,
  PortalUserQuery,
} from '#schemas/rest/portal/enduser.ts'
import { addAudit } from '../../audit/audit-store.ts'
import { actorOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { CursorTime, CursorUuid, decodeCursor, pageOfRows } from '../../http/cursor.ts'
import { type ApiInstance, found, replies, requireUuid } from '../../http/route.ts'
import { adminPortalOf, PortalAdminPath, portalAdminTags as tags } from '../admin-portal.ts'
import {
  changePortalUser,
  erasePortalUser,
  findPortalUser,
  listPortalUsers,
  type PortalUserRow,
} from './enduser-store.ts'

const Position = z.tuple([CursorTime, CursorUuid])
const UserPath = PortalAdminPath.extend({ user_id: z.string() })

export function registerPortalUsers(app: ApiInstance, ctx: ApiContext): void {
  const { 200: _, ...refusals } = replies(PortalUser)

  app.route({
    method: 'GET',
    url: '/endusers',
    schema: {
      tags,
      summary: 'Users of a portal, newest first',
      params: PortalAdminPath,
      querystring: PortalUserQuery,
      response: replies(PortalUserPage),
    },
    handler: async (request) => {
      const { search, blocked, limit, cursor } = request.query
      const rows = await listPortalUsers(ctx.pg, {
        projectId: adminPortalOf(request).projectId,
        ...{ search, blocked, after: decodeCursor(cursor, Position), rowsMax: limit + 1 },
      })
      const page = pageOfRows(rows, limit, (row) => [row.cursorTime, row.id])
      return { ...page, items: page.items.map(userView) }
    },
  })

  app.route({
    method: 'GET',
    url: '/endusers/:user_id',
    schema: {
      tags,
      summary: 'One user of a portal',
      params: UserPath,
      response: replies(PortalUser),
    },
    handler: async (request) => {
      const { projectId } = adminPortalOf(request)
      const id = requireUuid(request.params.user_id)
      return userView(found(await findPortalUser(ctx.pg, { projectId, id })))
    },
  })

  app.route({
    method: 'PATCH',
    url: '/endusers/:user_id',
    schema: {
      tags,
      summary: 'Trust or block a user',
      params: UserPath,
      body: PortalUserChange,
      response: replies(PortalUser),
    },
    handler: async (request) => {
      const { projectId } = adminPortalOf(request)
      const id = requireUuid(request.params.user_id)
      const { trusted, blocked } = request.body
      const now = new Date(ctx.clock.nowMs())
      const changed = await ctx.pg.transaction(async (pg) => {
        if (!(await changePortalUser(pg, { projectId, id, trusted, blocked, now })))
          return undefined
        await addAudit(pg, actorOf(request), {
          action: 'enduser.changed',
          subjectType: 'enduser',
          subjectId: id,
          details: { project_id: projectId, trusted, blocked },
        })
        return findPortalUser(pg, { projectId, id })
      })
      return userView(found(changed))
    },
  })

  app.route({
    method: 'DELETE',
    url: '/endusers/:user_id',
    schema: {
      tags,
      summary: 'Erase who a user was',
      description:
        'Id, address and name go for good. Votes, ideas and comments stay, of nobody in particular.',
      params: UserPath,
      response: { 204: z.null(), ...refusals },
    },
    handler: async (request, reply) => {
      const { projectId } = adminPortalOf(request)
      const id = requireUuid(request.params.user_id)
      const erased = await ctx.pg.transaction(async (pg) => {
        if (!(await erasePortalUser(pg, { projectId, id }))) return undefined
        await addAudit(pg, actorOf(request), {
          action: 'enduser.erased',
          subjectType: 'enduser',
          subjectId: id,
          details: { project_id: projectId },
        })
        return true
      })
      found(erased)
      reply.code(204)
      return null
    },
  })
}

function userView(row: PortalUserRow): PortalUser {
  return {
    id: row.id,
    enduser_id: row.enduserId,
    email: row.email,
    email_source: row.emailSource,
    name: row.name,
    trusted: row.trusted,
    blocked_at: row.blockedAt?.toISOString() ?? null,
    idea_count: row.ideaCount,
    vote_count: row.voteCount,
    comment_count: row.commentCount,
    created_at: row.createdAt.toISOString(),
    last_seen_at: row.lastSeenAt.toISOString(),
  }
}
