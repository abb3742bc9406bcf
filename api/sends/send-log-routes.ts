/**
 * The log of all emails that are not of a campaign: confirmations, transactional emails,
 * notifications and tests.
 */
import { z } from 'zod'
import { PreviewDocumentQuery } from '#schemas/rest/email/campaign-admin.ts'
import { SendContent, SendDetail, SendLogPage, SendLogQuery } from '#schemas/rest/email/send.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { CursorTime, CursorUuid, decodeCursor, pageOfRows } from '../http/cursor.ts'
import { type ApiInstance, fileReplies, replies } from '../http/route.ts'
import { getSend } from './get-send.ts'
import { getSendContent, getSendDocument } from './get-send-content.ts'
import { listSends } from './send-log-store.ts'
import { logItemOf, statesOf } from './send-report.ts'

const tags = ['transactional email']
const Position = z.tuple([CursorTime, CursorUuid])
const SendPath = z.object({ id: z.string() })

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
      summary: 'Get a transactional or system email with its attempts',
      params: SendPath,
      response: replies(SendDetail),
    },
    handler: (request) => getSend(ctx, personOf(request), request.params),
  })

  app.route({
    method: 'GET',
    url: '/sends/:id/content',
    config: { role: 'member' },
    schema: {
      tags,
      operationId: 'getEmailContent',
      summary: 'Get the text and the headers of an email',
      description:
        'Of transactional and test emails, until they are deleted from the log. The audit log has an entry (`email.content_read`). 404 if nothing is stored or the content may not be read; `content` of the email tells why.',
      params: SendPath,
      response: replies(SendContent),
    },
    handler: (request) => getSendContent(ctx, actorOf(request), request.params),
  })

  app.route({
    method: 'GET',
    url: '/sends/:id/content.html',
    config: { role: 'member' },
    schema: {
      tags,
      operationId: 'showEmailContent',
      summary: 'Show the HTML part of an email as a document',
      description:
        'For a frame of the dashboard, with a content security policy of its own, which allows no script.',
      params: SendPath,
      querystring: PreviewDocumentQuery.omit({ contactId: true }),
      response: fileReplies('html'),
    },
    handler: async (request, reply) => {
      const asked = { ...request.query, ...request.params }
      const { html, policy } = await getSendDocument(ctx, actorOf(request), asked)
      reply.header('content-security-policy', policy)
      reply.header('x-frame-options', 'SAMEORIGIN')
      reply.header('content-type', 'text/html; charset=utf-8')
      return reply.send(html as never)
    },
  })
}
