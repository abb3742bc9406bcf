import { parseEmailAddress } from '#schemas/email-address.ts'
import { BounceReply, BounceReport } from '#schemas/rest/email/bounce.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { apiKeyOf } from '../auth/require-api-key.ts'
import { ensureAddress } from '../contacts/address-store.ts'
import type { ApiContext } from '../context.ts'
import { doOnce } from '../http/idempotency.ts'
import { IdempotencyHeaders } from '../http/idempotency-header.ts'
import type { ApiInstance } from '../http/route.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { recordBounce } from './bounce-store.ts'

export function registerBounces(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/bounces',
    schema: {
      tags: ['bounces'],
      summary: 'Report a bounce or a complaint',
      description:
        'The address need not be a contact: the suppression is about the mailbox, for the whole organization. Each call counts; with an `Idempotency-Key` a repeated one does not.',
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
    handler: async (request, reply): Promise<BounceReply> => {
      const { type, source } = request.body
      const parsed = parseEmailAddress(request.body.email)
      if (parsed.kind === 'invalid') throw invalidField('email', parsed.rule)
      const { email, key } = parsed
      const caller = apiKeyOf(request)
      const { organizationId } = caller

      const done = await doOnce(ctx, { request, reply, caller }, async (pg) => {
        const now = new Date(ctx.clock.nowMs())
        const { id: addressId } = await ensureAddress(pg, { organizationId, email, key })
        const bounce = { addressId, type, cause: null, counts: true, source, at: now }
        const { suppressed, softBounces } = await recordBounce(pg, bounce, now)
        return { email, suppressed, softBounces }
      })
      return done.reply
    },
  })
}
