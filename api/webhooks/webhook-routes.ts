/**
 * Outgoing webhooks of an organization. Viewers do not see them: their URLs may hold secrets, and
 * they receive data of contacts.
 */
import { z } from 'zod'
import {
  NewWebhook,
  RotatedWebhookSecret,
  WebhookChange,
  WebhookInput,
  WebhookItem,
  WebhookList,
} from '#schemas/rest/alerts/webhook.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, replies, requireUuid } from '../http/route.ts'
import { createWebhook } from './create-webhook.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { rotateWebhookSecret } from './rotate-webhook-secret.ts'
import { updateWebhook } from './update-webhook.ts'
import { findWebhook, listStoredWebhooks } from './webhook-store.ts'
import { webhookViews } from './webhook-view.ts'

const tags = ['webhooks']
const IdPath = z.object({ id: z.string() })
const { 200: _ok, ...errorReplies } = replies(Problem)
const role = 'member'

export function registerWebhooks(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/webhooks',
    config: { role },
    schema: {
      operationId: 'listWebhooks',
      tags,
      summary: 'List the webhooks of the organization',
      description: 'Oldest first, on one page.',
      response: replies(WebhookList),
    },
    handler: async (request) => {
      const rows = await listStoredWebhooks(ctx.pg, personOf(request).organizationId)
      return { items: await webhookViews(ctx.pg, rows), next_cursor: null }
    },
  })

  app.route({
    method: 'POST',
    url: '/webhooks',
    config: { role },
    schema: {
      operationId: 'createWebhook',
      tags,
      summary: 'Create a webhook for events of the product',
      description:
        'Requests are signed as Standard Webhooks describes. The `secret` is in this reply only.',
      body: WebhookInput,
      response: { ...errorReplies, 201: NewWebhook, 409: Problem },
    },
    handler: async (request, reply) => {
      const created = await createWebhook(ctx, actorOf(request), request.body)
      reply.code(201)
      return created
    },
  })

  app.route({
    method: 'GET',
    url: '/webhooks/:id',
    config: { role },
    schema: {
      operationId: 'getWebhook',
      tags,
      summary: 'Get a webhook',
      params: IdPath,
      response: replies(WebhookItem),
    },
    handler: async (request) => {
      const id = requireUuid(request.params.id)
      const { organizationId } = personOf(request)
      const stored = found(await findWebhook(ctx.pg, { organizationId, id }))
      return found((await webhookViews(ctx.pg, [stored]))[0])
    },
  })

  app.route({
    method: 'PATCH',
    url: '/webhooks/:id',
    config: { role },
    schema: {
      operationId: 'updateWebhook',
      tags,
      summary: 'Update a webhook',
      description:
        'A field that is left out keeps its value, and the secret stays. `enabled: true` also enables a URL that was disabled because it answered 410.',
      params: IdPath,
      body: WebhookChange,
      response: replies(WebhookItem),
    },
    handler: (request) => {
      const id = requireUuid(request.params.id)
      return updateWebhook(ctx, actorOf(request), { id, change: request.body })
    },
  })

  app.route({
    method: 'DELETE',
    url: '/webhooks/:id',
    config: { role },
    schema: {
      operationId: 'deleteWebhook',
      tags,
      summary: 'Delete a webhook',
      description: 'Its deliveries are deleted, and what waits is not sent.',
      params: IdPath,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      await deleteWebhook(ctx, actorOf(request), { id: requireUuid(request.params.id) })
      reply.code(204)
      return null
    },
  })

  app.route({
    method: 'POST',
    url: '/webhooks/:id/rotate-secret',
    config: { role },
    schema: {
      operationId: 'rotateWebhookSecret',
      tags,
      summary: 'Rotate the secret of a webhook',
      description:
        'For 24 hours every request is signed with both secrets. A secret that was replaced before the last one ends at once.',
      params: IdPath,
      response: { ...replies(RotatedWebhookSecret), 409: Problem },
    },
    handler: (request) =>
      rotateWebhookSecret(ctx, actorOf(request), { id: requireUuid(request.params.id) }),
  })
}
