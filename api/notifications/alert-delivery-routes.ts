/**
 * The log of an alert rule. It holds answers of receivers, which may be in the operator's own
 * network, so it needs the scope that changes rules.
 */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { DeliveryItem, DeliveryListQuery, TestDeliveries } from '#schemas/rest/alerts/delivery.ts'
import { pageOf } from '#schemas/rest/page.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, ProjectPath, projectOf, replies, requireUuid } from '../http/route.ts'
import type { DeliveryOwner } from './delivery-owner-store.ts'
import { deliveryItem } from './delivery-view.ts'
import { listPage } from './list-page.ts'
import { replayDelivery } from './replay-delivery.ts'
import { sendTest } from './send-test.ts'

const tags = ['alerts']
const config = { scope: 'settings:write' } as const
const AlertPath = ProjectPath.extend({ alert_id: z.string() })
const DeliveryPath = AlertPath.extend({ delivery_id: z.string() })
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerAlertDeliveries(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/alerts/:alert_id/deliveries',
    config,
    schema: {
      operationId: 'listAlertDeliveries',
      tags,
      summary: 'List the deliveries of an alert rule',
      description: 'Newest first, with their attempts and the answers of the receivers.',
      params: AlertPath,
      querystring: DeliveryListQuery,
      response: replies(pageOf(DeliveryItem)),
    },
    handler: (request) => listPage(ctx, ruleOf(request), request.query),
  })

  app.route({
    method: 'POST',
    url: '/alerts/:alert_id/deliveries/:delivery_id/replay',
    config,
    schema: {
      operationId: 'replayAlertDelivery',
      tags,
      summary: 'Replay a delivery of an alert rule',
      description:
        'It is sent again with the same body and `webhook-id`, and retried for three days. 409 while its target is disabled.',
      params: DeliveryPath,
      response: { ...errorReplies, 202: DeliveryItem, 409: Problem },
    },
    handler: async (request, reply) => {
      const input = {
        owner: ruleOf(request),
        deliveryId: requireUuid(request.params.delivery_id),
      }
      reply.code(202)
      return deliveryItem(await replayDelivery(ctx, actorOf(request), input))
    },
  })

  app.route({
    method: 'POST',
    url: '/alerts/:alert_id/test',
    config,
    schema: {
      operationId: 'testAlert',
      tags,
      summary: 'Send a test notification to all targets of an alert rule',
      description: 'The list of deliveries shows the results a moment later.',
      params: AlertPath,
      response: { ...errorReplies, 202: TestDeliveries },
    },
    handler: async (request, reply) => {
      const deliveries = await sendTest(ctx, actorOf(request), { owner: ruleOf(request) })
      reply.code(202)
      return { items: deliveries.map(deliveryItem) }
    },
  })
}

function ruleOf(request: FastifyRequest): DeliveryOwner {
  const { alert_id } = request.params as { alert_id: string }
  return { kind: 'rule', projectNumber: projectOf(request).dsnId, id: requireUuid(alert_id) }
}
