import { BounceReply, BounceReport } from '#schemas/rest/email/bounce.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { apiKeyOf } from '../auth/require-api-key.ts'
import type { ApiContext } from '../context.ts'
import { IdempotencyHeaders } from '../http/idempotency/idempotency-header.ts'
import type { ApiInstance } from '../http/route.ts'
import { reportBounce } from './report-bounce.ts'

export function registerBounces(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/bounces',
    schema: {
      tags: ['bounces'],
      operationId: 'reportBounce',
      summary: 'Report a bounce or a complaint',
      description:
        'The address need not belong to a contact: a suppression is about the mailbox, for the whole organization. Each call counts, except one that repeats its `Idempotency-Key`.',
      headers: IdempotencyHeaders,
      body: BounceReport,
      response: {
        200: BounceReply,
        400: Problem,
        401: Problem,
        409: Problem,
        422: Problem,
        429: Problem,
        503: Problem,
      },
    },
    handler: (request, reply) =>
      reportBounce(ctx, { request, reply, caller: apiKeyOf(request) }, request.body),
  })
}
