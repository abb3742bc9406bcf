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
import { decodedText } from '../contacts/imports/file/text-encoding.ts'
import type { ApiContext } from '../context.ts'
import { CursorTime, CursorUuid, decodeCursor, pageOfRows } from '../http/cursor.ts'
import { type ApiInstance, replies } from '../http/route.ts'
import { addSuppression, removeSuppression } from './change-suppression.ts'
import { importSuppressions, suppressionRowsMax } from './import-suppressions.ts'
import { liftSuppressions } from './lift-suppressions.ts'
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
      summary: 'List suppressed addresses, newest first',
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
    method: 'POST',
    url: '/suppressions',
    schema: {
      tags,
      summary: 'Suppress an address by hand',
      body: NewSuppression,
      response: { ...replies(SuppressionState), 201: SuppressionState },
    },
    handler: async (request, reply) => {
      const { added, state } = await addSuppression(ctx.pg, {
        actor: actorOf(request),
        email: request.body.email,
        reason: request.body.reason ?? null,
        now: new Date(ctx.clock.nowMs()),
      })
      reply.code(added ? 201 : 200)
      return state
    },
  })

  app.route({
    method: 'POST',
    url: '/suppressions/lift',
    schema: {
      tags,
      summary: 'Lift the suppression of an address',
      description:
        'Contacts are again what they were before; after a complaint they are unsubscribed, whatever they were.',
      body: SuppressionLift,
      response: { ...replies(SuppressionState), 409: Problem },
    },
    handler: (request) =>
      removeSuppression(ctx.pg, {
        actor: actorOf(request),
        email: request.body.email,
        reason: request.body.reason,
        complaint: request.body.complaint === true,
        now: new Date(ctx.clock.nowMs()),
      }),
  })

  app.route({
    method: 'POST',
    url: '/suppressions/lift-matching',
    config: { role: 'owner' },
    schema: {
      tags,
      summary: 'Lift suppressions by cause, source and time',
      description:
        'For a batch that was suppressed by mistake. Send it with `dryRun: true` first: the reply counts what would change. Contacts are again what they were before; after a complaint they are unsubscribed.',
      body: BulkLift,
      response: { ...replies(BulkLiftResult), 409: Problem },
    },
    handler: (request) =>
      liftSuppressions(ctx.pg, {
        actor: actorOf(request),
        lift: request.body,
        now: new Date(ctx.clock.nowMs()),
      }),
  })

  registerImport(app, ctx)
}

function registerImport(app: ApiInstance, ctx: ApiContext): void {
  // In a scope of its own, because elsewhere a body is never kept as text.
  void app.register(async (scope: ApiInstance) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'text/csv',
      { parseAs: 'buffer' },
      async (_: unknown, bytes: unknown) => bytes,
    )
    scope.route({
      method: 'POST',
      url: '/suppressions/import',
      bodyLimit: fileBytesMax,
      schema: {
        tags,
        summary: 'Suppress all addresses of a CSV file',
        description: `text/csv with a column \`email\`, or addresses in the first one; at most ${suppressionRowsMax} rows and 5 MiB. With dryRun nothing is changed.`,
        consumes: ['text/csv'],
        querystring: ImportQuery,
        response: replies(SuppressionImport),
      },
      handler: async (request) =>
        importSuppressions(ctx.pg, {
          actor: actorOf(request),
          text: Buffer.isBuffer(request.body) ? await decodedText(request.body, 'body') : '',
          now: new Date(ctx.clock.nowMs()),
          dryRun: request.query.dryRun,
        }),
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
