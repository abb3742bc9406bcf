/** `POST /api/v1/contacts`: signups over the email API. */
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

/** The specification fixes the body, so a header tells whether a confirmation email was sent. */
const confirmationHeader = { sent: 'sent', too_soon: 'recently-sent' } as const
/** Fifty attributes of the greatest length, with several bytes a character. */
const bodyBytesMax = 512 * 1024

export function registerSignup(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/contacts',
    bodyLimit: bodyBytesMax,
    schema: {
      tags: ['contacts'],
      operationId: 'signUpContact',
      summary: 'Sign up a contact for a newsletter',
      description:
        '201 for a new contact, 200 for one that exists. Rate limits: 5 signups of one visitor in 10 minutes (when `ip` is given) and 600 of an organization in an hour. The `RateLimit-*` headers describe the limit with fewer requests left. While the contact is pending, `Sluice-Confirmation` is `sent`, or `recently-sent` when a confirmation email was sent in the last 10 minutes or the daily limit is reached.',
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
    // Every reply has the headers, including errors that did not count as a signup.
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

/** The window that is full, or the one with the fewest requests left. */
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
