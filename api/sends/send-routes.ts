import { z } from 'zod'
import type { FieldError } from '#schemas/error-codes.ts'
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
import { IdempotencyHeaders } from '../http/idempotency/idempotency-header.ts'
import { type ApiInstance, found, requireUuid } from '../http/route.ts'
import { invalidFields } from '../http/validation/invalid-field.ts'
import { peekWindow, rateHeaders, type TakenHits } from '../rate-limits/rate-window-store.ts'
import { sendEmail, sendWindow } from './send-email.ts'
import { findSend } from './send-log-store.ts'
import { reportSend } from './send-report.ts'

const tags = ['transactional email']
/** The longest HTML, escaped as JSON. */
const bodyBytesMax = 2 * MiB

export function registerSends(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/send',
    bodyLimit: bodyBytesMax,
    schema: {
      tags,
      operationId: 'sendEmail',
      summary: 'Send a transactional email',
      description:
        'Not tracked, without list headers and footer. The email is stored before the reply and first tried within a second, ahead of campaigns. Unknown fields are refused, and so are braces that are no placeholder, unless `allowUnknown` is true. At most 600 emails per hour for each organization. A request that repeats its `Idempotency-Key` gets the reply of the first one with `Idempotent-Replayed: true`, and sends nothing.',
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
    preValidation: async (request) => refuseUnsupported(request.body),
    // Every reply shows the rate limit, also one that used up nothing because of an invalid body or
    // a repeated request.
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
      operationId: 'getEmailStatus',
      summary: 'Get the status of a transactional email',
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

/** A refused email gives back the hit that it had taken. */
function headersOf(hits: TakenHits, charged: boolean): Record<string, string> {
  if (hits.kind === 'full') return rateHeaders(hits.window, hits.retryAfterSeconds)
  const [window] = hits.windows
  if (window === undefined) return {}
  return rateHeaders(charged ? window : { ...window, remaining: window.remaining + 1 })
}

/**
 * Says what to do instead of a field that other products have, before the schema says only that it
 * is unknown.
 */
function refuseUnsupported(body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  const details = Object.keys(body)
    .filter((key) => Object.hasOwn(unsupportedSendFields, key))
    .map((field): FieldError => ({ field, rule: unsupportedSendFields[field]! }))
  const [first, ...others] = details
  if (first !== undefined) throw invalidFields([first, ...others])
}
