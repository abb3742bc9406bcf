import { CodedError } from '#schemas/error-codes.ts'
import { NewContact, SignupReply } from '#schemas/rest/email/contact.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { ApiKeyCaller } from '../../auth/api-key.ts'
import { apiKeyOf } from '../../auth/require-api-key.ts'
import type { ApiContext } from '../../context.ts'
import type { ApiInstance } from '../../http/route.ts'
import {
  peekWindow,
  rateHeaders,
  type TakenHits,
  type WindowState,
} from '../../rate-limits/rate-window-store.ts'
import { signUp } from './sign-up.ts'
import { signupWindows } from './signup-windows.ts'

const tags = ['contacts']
/** The body is fixed by the specification, so a header says whether a confirmation email was sent by this call. */
const confirmationHeader = { sent: 'sent', too_soon: 'recently-sent' } as const
/** Fifty attributes of the longest kind, several bytes a character. */
const bodyBytesMax = 512 * 1024

export function registerContacts(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/contacts',
    bodyLimit: bodyBytesMax,
    schema: {
      tags,
      summary: 'Add a contact to a newsletter',
      description:
        '201 for a new contact, 200 for a known one. At most 5 signups of one visitor in 10 minutes (when `ip` is given) and 600 of an organization in an hour; the `RateLimit-*` headers are of the one that is nearer. While the contact is pending, `Sluice-Confirmation` is `sent`, or `recently-sent` when the last confirmation email was sent less than 10 minutes ago or as often as a day allows.',
      body: NewContact,
      response: {
        200: SignupReply,
        201: SignupReply,
        400: Problem,
        401: Problem,
        404: Problem,
        413: Problem,
        429: Problem,
        503: Problem,
      },
    },
    // Every answer tells how the organization stands, also one that took no hit: a mistake in the body, an unknown newsletter.
    onSend: async (request, reply) => {
      const caller = request.getDecorator<ApiKeyCaller | undefined>('apiKey')
      if (reply.hasHeader('ratelimit-limit') || caller === undefined || 500 <= reply.statusCode)
        return
      const [window] = signupWindows(caller.organizationId, undefined)
      reply.headers(rateHeaders(await peekWindow(ctx.pg, window, new Date(ctx.clock.nowMs()))))
    },
    handler: async (request, reply) => {
      const result = await signUp(ctx, apiKeyOf(request).organizationId, request.body)
      const { hits } = result
      const retryAfter = hits.kind === 'full' ? hits.retryAfterSeconds : undefined
      reply.headers(rateHeaders(nearest(hits), retryAfter))
      if (result.kind === 'limited') throw limited(nearest(hits))
      if (result.confirmation !== 'none') {
        reply.header('sluice-confirmation', confirmationHeader[result.confirmation])
      }
      reply.code(result.reply.created ? 201 : 200)
      return result.reply
    },
  })
}

function nearest(hits: TakenHits): WindowState {
  if (hits.kind === 'full') return hits.window
  return hits.windows.reduce((least, window) =>
    window.remaining < least.remaining ? window : least,
  )
}

function limited(window: WindowState): CodedError {
  const whose = window.bucket.startsWith('signups:') ? 'this organization' : 'one visitor'
  const minutes = window.windowMs / 60_000
  return new CodedError('rate_limited', {
    message: `Too many requests: at most ${window.hitsMax} signups of ${whose} in ${minutes} minutes.`,
  })
}
