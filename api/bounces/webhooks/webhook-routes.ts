/**
 * `POST /hooks/bounces/{adapter}/{secret}`: the webhooks to which providers report bounces and
 * complaints. Every authentic payload is answered with 200, also one without a relevant event,
 * because the provider would send it again otherwise.
 */
import { z } from 'zod'
import { Problem } from '#schemas/rest/problem.ts'
import { hashSecret, isToken } from '../../auth/secret.ts'
import type { ApiContext } from '../../context.ts'
import { type ApiInstance, found } from '../../http/route.ts'
import { findBounceAdapter, type StoredAdapter } from './bounce-adapter-store.ts'
import { receiveWebhook } from './receive-webhook.ts'
import { snsOutside } from './sns-outside.ts'
import { webhookBytesMax } from './webhook-event.ts'

const WebhookReply = z
  .object({ events: z.number().int(), recorded: z.number().int() })
  .meta({ id: 'HookReply', example: { events: 1, recorded: 1 } })

export function registerBounceWebhooks(app: ApiInstance, ctx: ApiContext): void {
  const webhookContext = { ...ctx, outside: snsOutside(ctx.fetchText) }
  app.decorateRequest('bounceAdapter')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: unknown, body: unknown) => body)

  app.route({
    method: 'POST',
    url: '/hooks/bounces/:adapter/:secret',
    bodyLimit: webhookBytesMax,
    config: { linkKinds: ['bounce_hook'] },
    schema: {
      tags: ['bounces'],
      operationId: 'receiveBounceWebhook',
      summary: 'Receive bounces and complaints from a provider',
      description:
        'The URL, with its secret, is shown once when the bounce adapter is created. The adapter `message` takes whole bounce messages (RFC 3464) and complaints (RFC 5965).',
      params: z.object({ adapter: z.string(), secret: z.string() }),
      response: {
        200: WebhookReply,
        400: Problem,
        401: Problem,
        404: Problem,
        413: Problem,
        503: Problem,
      },
    },
    // Before the body is read, so that a caller without the secret cannot send one.
    onRequest: async (request) => {
      const { adapter, secret } = request.params
      const secretHash = isToken(secret) ? hashSecret(secret) : undefined
      const stored = secretHash && (await findBounceAdapter(ctx.pg, { adapter, secretHash }))
      request.setDecorator<StoredAdapter>('bounceAdapter', found(stored))
    },
    handler: (request) => {
      const stored = request.getDecorator<StoredAdapter>('bounceAdapter')
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      return receiveWebhook(webhookContext, stored, { headers: request.headers, body })
    },
  })
}
