/**
 * Bounce adapters of an organization. A webhook URL contains a secret, so only owners create and
 * delete adapters.
 */
import { z } from 'zod'
import {
  BounceAdapterList,
  CreatedBounceAdapter,
  NewBounceAdapter,
} from '#schemas/rest/email/bounce-adapter.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, personOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { type ApiInstance, replies } from '../../http/route.ts'
import { listBounceAdapters } from './bounce-adapter-store.ts'
import { bounceAdapterView } from './bounce-adapter-view.ts'
import { createBounceAdapter } from './create-bounce-adapter.ts'
import { deleteBounceAdapter } from './delete-bounce-adapter.ts'

const tags = ['bounce adapters']
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerBounceAdapters(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/bounce-adapters',
    schema: {
      tags,
      operationId: 'listBounceAdapters',
      summary: 'List bounce adapters',
      description: 'A bounce adapter is a webhook through which a provider reports bounces.',
      response: replies(BounceAdapterList),
    },
    handler: async (request) => {
      const rows = await listBounceAdapters(ctx.pg, personOf(request).organizationId)
      return { items: rows.map(bounceAdapterView) }
    },
  })

  app.route({
    method: 'POST',
    url: '/bounce-adapters',
    config: { role: 'owner' },
    schema: {
      tags,
      operationId: 'createBounceAdapter',
      summary: 'Create a bounce adapter',
      description:
        'The reply contains the webhook URL with its secret, which is shown only once. Settings are stored sealed and never shown.',
      body: NewBounceAdapter,
      response: { ...errorReplies, 201: CreatedBounceAdapter, 409: Problem },
    },
    handler: async (request, reply) => {
      const created = await createBounceAdapter(ctx, actorOf(request), request.body)
      reply.code(201)
      return created
    },
  })

  app.route({
    method: 'DELETE',
    url: '/bounce-adapters/:id',
    config: { role: 'owner' },
    schema: {
      tags,
      operationId: 'deleteBounceAdapter',
      summary: 'Delete a bounce adapter',
      description: 'Its webhook URL answers 404 from then on.',
      params: z.object({ id: z.string() }),
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      await deleteBounceAdapter(ctx, actorOf(request), request.params)
      reply.code(204)
      return null
    },
  })
}
