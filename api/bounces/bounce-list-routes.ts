import { z } from 'zod'
import { BounceListQuery, BouncePage } from '#schemas/rest/email/bounce.ts'
import { personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { CursorUuid, decodeCursor, pageOfRows } from '../http/cursor.ts'
import { type ApiInstance, replies } from '../http/route.ts'
import { listBounces } from './bounce-list-store.ts'
import { bounceView } from './bounce-view.ts'

const Position = z.tuple([CursorUuid])

export function registerBounceList(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/bounces',
    schema: {
      tags: ['bounces'],
      operationId: 'listBounces',
      summary: 'List bounces and complaints, newest first',
      querystring: BounceListQuery,
      response: replies(BouncePage),
    },
    handler: async (request) => {
      const { limit, cursor, type, cause, query } = request.query
      const rows = await listBounces(ctx.pg, {
        organizationId: personOf(request).organizationId,
        type,
        cause,
        query: query === '' ? undefined : query,
        beforeId: decodeCursor(cursor, Position)?.[0],
        rowsMax: limit + 1,
      })
      const { items, next_cursor } = pageOfRows(rows, limit, (row) => [row.id])
      return {
        items: items.map(bounceView),
        next_cursor,
      }
    },
  })
}
