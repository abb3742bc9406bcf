/**
 * The log of all emails that are not of a campaign: confirmations, transactional emails,
 * notifications and tests.
 */
import { z } from 'zod'
import { SendLogItem, SendLogPage, SendLogQuery } from '#schemas/rest/email/send.ts'
import { personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { CursorTime, CursorUuid, decodeCursor, pageOfRows } from '../http/cursor.ts'
import { type ApiInstance, found, replies, requireUuid } from '../http/route.ts'
import { findSend, listSends } from './send-log-store.ts'
import { logItemOf, statesOf } from './send-report.ts'

const tags = ['transactional email']
const Position = z.tuple([CursorTime, CursorUuid])

export function registerSendLog(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/sends',
    schema: {
      tags,
      operationId: 'listEmails',
      summary: 'List transactional and system emails',
      description: 'Newest first. Emails of campaigns are listed as deliveries.',
      querystring: SendLogQuery,
      response: replies(SendLogPage),
    },
    handler: async (request) => {
      const { limit, cursor, status, kind, query } = request.query
      const rows = await listSends(ctx.pg, {
        organizationId: personOf(request).organizationId,
        states: status === undefined ? undefined : statesOf(status),
        kind,
        query: query === '' ? undefined : query,
        before: decodeCursor(cursor, Position),
        rowsMax: limit + 1,
      })
      const page = pageOfRows(rows, limit, (row) => [row.createdText, row.id])
      return { ...page, items: page.items.map(logItemOf) }
    },
  })

  app.route({
    method: 'GET',
    url: '/sends/:id',
    schema: {
      tags,
      operationId: 'getEmail',
      summary: 'Get a transactional or system email',
      params: z.object({ id: z.string() }),
      response: replies(SendLogItem),
    },
    handler: async (request) => {
      const id = requireUuid(request.params.id)
      const { organizationId } = personOf(request)
      return logItemOf(found(await findSend(ctx.pg, { organizationId, id })))
    },
  })
}
