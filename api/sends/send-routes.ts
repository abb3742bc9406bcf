import { z } from 'zod'
import { MiB } from '#schemas/limits.ts'
import {
  NewSendRequest,
  SendAccepted,
  SendReport,
  unsupportedSendFields,
} from '#schemas/rest/email/send.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { ApiKeyCaller } from '../auth/api-key.ts'
import { apiKeyOf } from '../auth/require-api-key.ts'
import type { ApiContext } from '../context.ts'
import { IdempotencyHeaders } from '../http/idempotency-header.ts'
import { type ApiInstance, found, requireUuid } from '../http/route.ts'
import { peekWindow, rateHeaders, type TakenHits } from '../rate-limits/rate-window-store.ts'
import { refuseUnsupported } from './refuse-unsupported.ts'
import { sendEmail } from './send-email.ts'
import { findSend } from './send-log-store.ts'
import { reportSend } from './send-report.ts'
import { sendWindow } from './send-window.ts'

const tags = ['send']
/** HTML of the longest kind, escaped as JSON. */
const bodyBytesMax = 2 * MiB

export function registerSends(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/send',
    bodyLimit: bodyBytesMax,
    schema: {
      tags,
      summary: 'Send a transactional email',
      description:
        'Untracked, without list headers or footer. The email is stored before the answer and tried within a second, ahead of campaigns. Unknown fields are refused, and so are braces that are no placeholder, unless `allowUnknown` is true. At most 600 an hour for each organization. With an `Idempotency-Key` a repeated request is answered as the first one was, with `Idempotent-Replayed: true`, and nothing is sent again.',
      headers: IdempotencyHeaders,
      body: NewSendRequest,
      response: {
        200: SendAccepted,
        400: Problem,
        401: Problem,
        404: Problem,
        409: Problem,
        413: Problem,
        422: Problem,
        429: Problem,
        503: Problem,
      },
    },
    preValidation: async (request) => refuseUnsupported(request.body, unsupportedSendFields),
    // Every answer tells how the organization stands, also one that took no hit: a mistake in the body, a repeated request.
    onSend: async (request, reply) => {
      const caller = request.getDecorator<ApiKeyCaller | undefined>('apiKey')
      if (reply.hasHeader('ratelimit-limit') || !caller || 500 <= reply.statusCode) return
      const now = new Date(ctx.clock.nowMs())
      reply.headers(rateHeaders(await peekWindow(ctx.pg, sendWindow(caller.organizationId), now)))
    },
    handler: (request, reply) =>
      sendEmail(
        ctx,
        { request, reply, caller: apiKeyOf(request) },
        {
          body: request.body,
          onHits: (hits, charged) => reply.headers(headersOf(hits, charged)),
        },
      ),
  })

  app.route({
    method: 'GET',
    url: '/send/:id',
    schema: {
      tags,
      summary: 'What became of a letter',
      params: z.object({ id: z.string() }),
      response: { 200: SendReport, 401: Problem, 404: Problem, 429: Problem, 503: Problem },
    },
    handler: async (request) => {
      const id = requireUuid(request.params.id)
      const { organizationId } = apiKeyOf(request)
      const kind = 'transactional'
      return reportSend(found(await findSend(ctx.pg, { organizationId, id, kind })))
    },
  })
}

/** A refused letter gives back the hit it had taken. */
function headersOf(hits: TakenHits, charged: boolean): Record<string, string> {
  if (hits.kind === 'full') return rateHeaders(hits.window, hits.retryAfterSeconds)
  const [window] = hits.windows
  if (window === undefined) return {}
  return rateHeaders(charged ? window : { ...window, remaining: window.remaining + 1 })
}
