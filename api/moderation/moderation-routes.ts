/** The moderation queue of a portal, for the team. */
import { z } from 'zod'
import { Decided, Decision, QueuePage, QueueQuery } from '#schemas/rest/portal/moderation.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { CursorTime, CursorUuid, decodeCursor, pageOfRows } from '../http/cursor.ts'
import { type ApiInstance, replies, requireUuid } from '../http/route.ts'
import { adminPortalOf, PortalAdminPath } from '../portal/admin-portal.ts'
import { moderateItem } from './moderate-item.ts'
import { countQueue, listQueue, type QueueRow } from './moderation-store.ts'

const tags = ['moderation']
const Position = z.tuple([CursorTime, CursorUuid])
const operations = {
  idea: { operationId: 'moderateIdea', summary: 'Decide on a pending idea' },
  comment: { operationId: 'moderateComment', summary: 'Decide on a pending comment' },
} as const

export function registerModeration(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/moderation',
    schema: {
      tags,
      operationId: 'listModeration',
      summary: 'List pending ideas and comments',
      description: 'Oldest first.',
      params: PortalAdminPath,
      querystring: QueueQuery,
      response: replies(QueuePage),
    },
    handler: async (request) => {
      const { projectId } = adminPortalOf(request)
      const { kind, limit, cursor } = request.query
      const after = decodeCursor(cursor, Position)
      const [rows, total] = await Promise.all([
        listQueue(ctx.pg, { projectId, kind, after, rowsMax: limit + 1 }),
        countQueue(ctx.pg, { projectId, kind }),
      ])
      const page = pageOfRows(rows, limit, (row) => [row.cursorTime, row.id])
      return { ...page, items: page.items.map(itemView), total }
    },
  })

  for (const kind of ['idea', 'comment'] as const) {
    app.route({
      method: 'POST',
      url: `/moderation/${kind}s/:item_id`,
      schema: {
        tags,
        ...operations[kind],
        description: 'The first decision counts. A later one is refused with 409.',
        params: PortalAdminPath.extend({ item_id: z.string() }),
        body: Decision,
        response: { ...replies(Decided), 409: Problem },
      },
      handler: async (request) => {
        const { projectId } = adminPortalOf(request)
        const id = requireUuid(request.params.item_id)
        const item = { projectId, kind, id, decision: request.body }
        return { moderation: await moderateItem(ctx, actorOf(request), item) }
      },
    })
  }
}

function itemView(row: QueueRow) {
  const author =
    row.authorRowId === null
      ? null
      : {
          id: row.authorRowId,
          enduser_id: row.enduserId ?? '',
          name: row.authorName,
          published_count: row.publishedCount,
        }
  return {
    kind: row.kind,
    id: row.id,
    idea_id: row.ideaId,
    title: row.title,
    text: row.text,
    author,
    created_at: row.createdAt.toISOString(),
  }
}
