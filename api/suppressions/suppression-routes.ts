import { Readable } from 'node:stream'
import { z } from 'zod'
import { MiB } from '#schemas/limits.ts'
import { findEmailRef } from '#schemas/mail/bounce-ref.ts'
import {
  BulkLift,
  BulkLiftResult,
  NewSuppression,
  type Suppression,
  SuppressionImport,
  SuppressionLift,
  SuppressionPage,
  SuppressionQuery,
  SuppressionState,
} from '#schemas/rest/email/suppression.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { takeFileBodies, textOfBody } from '../files/file-bodies.ts'
import { CursorTime, CursorUuid, decodeCursor, pageOfRows } from '../http/cursor.ts'
import { type ApiInstance, fileReplies, replies } from '../http/route.ts'
import { addSuppression } from './add-suppression.ts'
import { exportSuppressions } from './export-suppressions.ts'
import { importSuppressions, suppressionRowsMax } from './import-suppressions.ts'
import { liftMatchingSuppressions } from './lift-matching-suppressions.ts'
import { liftSuppression } from './lift-suppression.ts'
import { type ListedSuppression, listSuppressions } from './suppression-store.ts'

const tags = ['suppressions']
const Position = z.tuple([CursorTime, CursorUuid])
const fileBytesMax = 5 * MiB

const ImportQuery = z.object({
  dryRun: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
})

export function registerSuppressions(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/suppressions',
    schema: {
      tags,
      operationId: 'listSuppressions',
      summary: 'List suppressed addresses',
      description: 'Newest first.',
      querystring: SuppressionQuery,
      response: replies(SuppressionPage),
    },
    handler: async (request) => {
      const { limit, cursor, cause, source, query } = request.query
      const rows = await listSuppressions(ctx.pg, {
        organizationId: personOf(request).organizationId,
        cause,
        source,
        query: query === '' ? undefined : query,
        before: decodeCursor(cursor, Position),
        rowsMax: limit + 1,
      })
      const page = pageOfRows(rows, limit, (row) => [row.suppressedText, row.id])
      return { ...page, items: page.items.map(itemOf) }
    },
  })

  app.route({
    method: 'GET',
    url: '/suppressions/export',
    config: { role: 'member' },
    schema: {
      tags,
      operationId: 'exportSuppressions',
      summary: 'Export suppressed addresses as CSV',
      description: 'Newest first. `POST …/import` reads the same file.',
      querystring: SuppressionQuery.omit({ limit: true, cursor: true }),
      response: fileReplies('csv'),
    },
    handler: async (request, reply) => {
      const { cause, source, query } = request.query
      const selection = { cause, source, query: query === '' ? undefined : query }
      const lines = await exportSuppressions(ctx, actorOf(request), selection)
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="suppressions.csv"')
        .send(Readable.from(lines))
    },
  })

  app.route({
    method: 'POST',
    url: '/suppressions',
    schema: {
      tags,
      operationId: 'createSuppression',
      summary: 'Suppress an address',
      description:
        'The address gets no emails any more, from any newsletter. 201 if the call suppressed it; 200 if it was suppressed before, and its cause stays.',
      body: NewSuppression,
      response: { ...replies(SuppressionState), 201: SuppressionState },
    },
    handler: async (request, reply) => {
      const { email, reason = null } = request.body
      const { added, state } = await addSuppression(ctx, actorOf(request), { email, reason })
      reply.code(added ? 201 : 200)
      return state
    },
  })

  app.route({
    method: 'POST',
    url: '/suppressions/lift',
    schema: {
      tags,
      operationId: 'liftSuppression',
      summary: 'Lift the suppression of an address',
      description:
        'Contacts get the status back that they had before. After a complaint they become unsubscribed.',
      body: SuppressionLift,
      response: { ...replies(SuppressionState), 409: Problem },
    },
    handler: async (request) => {
      const { email, reason, complaint } = request.body
      const lift = { email, reason, complaint: complaint === true }
      return await liftSuppression(ctx, actorOf(request), lift)
    },
  })

  app.route({
    method: 'POST',
    url: '/suppressions/lift-matching',
    config: { role: 'owner' },
    schema: {
      tags,
      operationId: 'liftMatchingSuppressions',
      summary: 'Lift suppressions by cause, source and time',
      description:
        'For addresses that were suppressed in error. Send the request with `dryRun: true` first: the reply counts the addresses that would change. Contacts get the status back that they had before. After a complaint they become unsubscribed.',
      body: BulkLift,
      response: { ...replies(BulkLiftResult), 409: Problem },
    },
    handler: (request) => liftMatchingSuppressions(ctx, actorOf(request), request.body),
  })

  registerImport(app, ctx)
}

function registerImport(app: ApiInstance, ctx: ApiContext): void {
  void app.register(async (scope: ApiInstance) => {
    takeFileBodies(scope, ['text/csv'])
    scope.route({
      method: 'POST',
      url: '/suppressions/import',
      bodyLimit: fileBytesMax,
      schema: {
        tags,
        operationId: 'importSuppressions',
        summary: 'Suppress all addresses of a CSV file',
        description: `The body is the file: text/csv with a column \`email\`, or with the addresses in the first column; at most ${suppressionRowsMax} rows and 5 MiB. With \`dryRun=true\` the reply counts what would change.`,
        consumes: ['text/csv'],
        querystring: ImportQuery,
        response: replies(SuppressionImport),
      },
      handler: async (request) => {
        const text = await textOfBody(request.body)
        const { dryRun } = request.query
        return await importSuppressions(ctx, actorOf(request), { text, dryRun })
      },
    })
  })
}

function itemOf(row: ListedSuppression): Suppression {
  const ref = row.emailRef === null ? undefined : findEmailRef(row.emailRef)
  return {
    id: row.id,
    email: row.email,
    cause: row.cause,
    source: row.source,
    campaignId: ref?.kind === 'delivery' ? ref.campaignId : null,
    suppressedAt: row.suppressedAt.toISOString(),
  }
}
