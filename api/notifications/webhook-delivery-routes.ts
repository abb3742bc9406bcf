/** The log of an outgoing webhook of the organization. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { DeliveryItem, DeliveryListQuery, TestDeliveries } from '#schemas/rest/alerts/delivery.ts'
import { pageOf } from '#schemas/rest/page.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, replies, requireUuid } from '../http/route.ts'
import type { DeliveryOwner } from './delivery-owner-store.ts'
import { deliveryItem } from './delivery-view.ts'
import { listPage } from './list-page.ts'
import { replayDelivery } from './replay-delivery.ts'
import { sendTest } from './send-test.ts'

const tags = ['webhooks']
/** Answers of receivers may come from the operator's own network. */
const config = { role: 'member' } as const
const WebhookPath = z.object({ webhook_id: z.string() })
const DeliveryPath = WebhookPath.extend({ delivery_id: z.string() })
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerWebhookDeliveries(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/webhooks/:webhook_id/deliveries',
    config,
    schema: {
      operationId: 'listWebhookDeliveries',
      tags,
      summary: 'List the deliveries of a webhook',
      description: 'Newest first, with their attempts and the answers of the receiver.',
      params: WebhookPath,
      querystring: DeliveryListQuery,
      response: replies(pageOf(DeliveryItem)),
    },
    handler: (request) => listPage(ctx, webhookOf(request), request.query),
  })

  app.route({
    method: 'POST',
    url: '/webhooks/:webhook_id/deliveries/:delivery_id/replay',
    config,
    schema: {
      operationId: 'replayWebhookDelivery',
      tags,
      summary: 'Replay a delivery of a webhook',
      description:
        'It is sent again with the same body and `webhook-id`, and retried for three days. 409 while its target is disabled.',
      params: DeliveryPath,
      response: { ...errorReplies, 202: DeliveryItem, 409: Problem },
    },
    handler: async (request, reply) => {
      const deliveryId = requireUuid(request.params.delivery_id)
      const input = { owner: webhookOf(request), deliveryId }
      reply.code(202)
      return deliveryItem(await replayDelivery(ctx, actorOf(request), input))
    },
  })

  app.route({
    method: 'POST',
    url: '/webhooks/:webhook_id/test',
    config,
    schema: {
      operationId: 'testWebhook',
      tags,
      summary: 'Send a test event to a webhook',
      description: 'The list of deliveries shows the result a moment later.',
      params: WebhookPath,
      response: { ...errorReplies, 202: TestDeliveries },
    },
    handler: async (request, reply) => {
      const deliveries = await sendTest(ctx, actorOf(request), { owner: webhookOf(request) })
      reply.code(202)
      return { items: deliveries.map(deliveryItem) }
    },
  })
}

function webhookOf(request: FastifyRequest): DeliveryOwner {
  const { webhook_id } = request.params as { webhook_id: string }
  const { organizationId } = personOf(request)
  return { kind: 'webhook', organizationId, id: requireUuid(webhook_id) }
}
