/** Votes of an idea, for the team: list, export, add for a user, delete. */
import { Readable } from 'node:stream'
import { z } from 'zod'
import { PageQuery, pageOf } from '#schemas/rest/page.ts'
import { VoteOnBehalf, Voter } from '#schemas/rest/portal/idea-admin.ts'
import { UnvoteReply, VoteReply } from '#schemas/rest/portal/vote.ts'
import { actorOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { CursorTime, CursorUuid, decodeCursor, pageOfRows } from '../../http/cursor.ts'
import { type ApiInstance, fileReplies, found, replies, requireUuid } from '../../http/route.ts'
import { adminPortalOf, PortalAdminPath } from '../../portal/admin-portal.ts'
import { readStatus } from '../idea-store.ts'
import { deleteVote } from './delete-vote.ts'
import { exportVoters } from './export-voters.ts'
import { listVoters, voterOf, voterPosition } from './vote-list-store.ts'
import { voteOnBehalf } from './vote-on-behalf.ts'

const tags = ['votes']
const params = PortalAdminPath.extend({ idea_id: z.string() })
const Position = z.tuple([CursorTime, CursorUuid])
const ExportQuery = z.object({ format: z.enum(['csv', 'json']).default('csv') })

export function registerVoters(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/ideas/:idea_id/voters',
    schema: {
      tags,
      operationId: 'listVoters',
      summary: 'List the voters of an idea',
      description: 'Oldest vote first.',
      params,
      querystring: z.object(PageQuery),
      response: replies(pageOf(Voter)),
    },
    handler: async (request) => {
      const { projectId } = adminPortalOf(request)
      const ideaId = requireUuid(request.params.idea_id)
      const { limit, cursor } = request.query
      found(await readStatus(ctx.pg, { projectId, ideaId }))
      const after = decodeCursor(cursor, Position)
      const rows = await listVoters(ctx.pg, { projectId, ideaId, limit: limit + 1, after })
      const page = pageOfRows(rows, limit, voterPosition)
      return { ...page, items: page.items.map(voterOf) }
    },
  })

  app.route({
    method: 'GET',
    url: '/ideas/:idea_id/voters/export',
    config: { role: 'member' },
    schema: {
      tags,
      operationId: 'exportVoters',
      summary: 'Export the voters of an idea',
      params,
      querystring: ExportQuery,
      response: fileReplies('csv', 'json'),
    },
    handler: async (request, reply) => {
      const { projectId } = adminPortalOf(request)
      const ideaId = requireUuid(request.params.idea_id)
      const { format } = request.query
      const file = await exportVoters(ctx, actorOf(request), { projectId, ideaId, format })
      return reply
        .type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="voters.${format}"`)
        .send(Readable.from(file))
    },
  })

  app.route({
    method: 'POST',
    url: '/ideas/:idea_id/voters',
    schema: {
      tags,
      operationId: 'voteOnBehalf',
      summary: 'Vote on behalf of a user',
      description: 'For a user who asked for the idea elsewhere, for example in a support request.',
      params,
      body: VoteOnBehalf,
      response: replies(VoteReply),
    },
    handler: async (request) => {
      const { projectId } = adminPortalOf(request)
      const ideaId = requireUuid(request.params.idea_id)
      const vote = request.body
      return { result: await voteOnBehalf(ctx, actorOf(request), { projectId, ideaId, vote }) }
    },
  })

  app.route({
    method: 'DELETE',
    url: '/ideas/:idea_id/voters/:enduser_id',
    schema: {
      tags,
      operationId: 'deleteVote',
      summary: 'Delete the vote of a user',
      params: params.extend({
        enduser_id: z.string().describe('The id that the project gives the user.'),
      }),
      response: replies(UnvoteReply),
    },
    handler: async (request) => {
      const { projectId } = adminPortalOf(request)
      const ideaId = requireUuid(request.params.idea_id)
      const { enduser_id: enduserId } = request.params
      return { result: await deleteVote(ctx, actorOf(request), { projectId, ideaId, enduserId }) }
    },
  })
}
