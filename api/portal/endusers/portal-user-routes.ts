/** Users of a portal, for the team: list, trust, block, erase. */
import { z } from 'zod'
import {
  PortalUser,
  PortalUserChange,
  PortalUserPage,
  PortalUserQuery,
} from '#schemas/rest/portal/enduser.ts'
import { actorOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { CursorTime, CursorUuid, decodeCursor, pageOfRows } from '../../http/cursor.ts'
import { type ApiInstance, found, replies, requireUuid } from '../../http/route.ts'
import { adminPortalOf, PortalAdminPath } from '../admin-portal.ts'
import { findPortalUser, listPortalUsers } from './enduser-store.ts'
import { erasePortalUser } from './erase-portal-user.ts'
import { portalUserView } from './portal-user-view.ts'
import { updatePortalUser } from './update-portal-user.ts'

const tags = ['portal users']
const Position = z.tuple([CursorTime, CursorUuid])
const UserPath = PortalAdminPath.extend({ user_id: z.string() })

export function registerPortalUsers(app: ApiInstance, ctx: ApiContext): void {
  const { 200: _, ...refusals } = replies(PortalUser)

  app.route({
    method: 'GET',
    url: '/endusers',
    schema: {
      tags,
      operationId: 'listPortalUsers',
      summary: 'List the users of a portal',
      description: 'Newest first.',
      params: PortalAdminPath,
      querystring: PortalUserQuery,
      response: replies(PortalUserPage),
    },
    handler: async (request) => {
      const { projectId } = adminPortalOf(request)
      const { search, blocked, limit, cursor } = request.query
      const after = decodeCursor(cursor, Position)
      const query = { projectId, search, blocked, after, rowsMax: limit + 1 }
      const rows = await listPortalUsers(ctx.pg, query)
      const page = pageOfRows(rows, limit, (row) => [row.cursorTime, row.id])
      return { ...page, items: page.items.map(portalUserView) }
    },
  })

  app.route({
    method: 'GET',
    url: '/endusers/:user_id',
    schema: {
      tags,
      operationId: 'getPortalUser',
      summary: 'Get a user of a portal',
      params: UserPath,
      response: replies(PortalUser),
    },
    handler: async (request) => {
      const { projectId } = adminPortalOf(request)
      const id = requireUuid(request.params.user_id)
      return portalUserView(found(await findPortalUser(ctx.pg, { projectId, id })))
    },
  })

  app.route({
    method: 'PATCH',
    url: '/endusers/:user_id',
    schema: {
      tags,
      operationId: 'updatePortalUser',
      summary: 'Trust or block a user of a portal',
      description:
        'Ideas and comments of a trusted user are published without moderation. A blocked user cannot write. Omitted fields stay unchanged.',
      params: UserPath,
      body: PortalUserChange,
      response: replies(PortalUser),
    },
    handler: async (request) => {
      const { projectId } = adminPortalOf(request)
      const id = requireUuid(request.params.user_id)
      const { trusted, blocked } = request.body
      const change = { projectId, id, trusted, blocked }
      return portalUserView(await updatePortalUser(ctx, actorOf(request), change))
    },
  })

  app.route({
    method: 'DELETE',
    url: '/endusers/:user_id',
    schema: {
      tags,
      operationId: 'erasePortalUser',
      summary: 'Erase a user of a portal',
      description:
        'Erases the id, the email addresses and the name. Votes, ideas and comments stay and become anonymous. This cannot be undone.',
      params: UserPath,
      response: { 204: z.null(), ...refusals },
    },
    handler: async (request, reply) => {
      const { projectId } = adminPortalOf(request)
      const id = requireUuid(request.params.user_id)
      await erasePortalUser(ctx, actorOf(request), { projectId, id })
      return reply.code(204).send(null)
    },
  })
}
