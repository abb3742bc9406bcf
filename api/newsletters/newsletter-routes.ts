/** Newsletters and their settings: `/api/v1/organization/newsletters`. */
import { z } from 'zod'
import {
  Newsletter,
  NewsletterBody,
  NewsletterChange,
  NewsletterList,
} from '#schemas/rest/email/newsletter.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, replies } from '../http/route.ts'
import { createNewsletter } from './create-newsletter.ts'
import { deleteNewsletter } from './delete-newsletter.ts'
import { newsletterView } from './newsletter-view.ts'
import { findNewsletterRow, listNewsletterRows } from './organization-newsletter-store.ts'
import { updateNewsletter } from './update-newsletter.ts'

const tags = ['newsletters']
const Path = z.object({ newsletter: z.string().max(64).describe('Its id or its slug.') })
const { 200: _ok, ...errorReplies } = { ...replies(Problem), 409: Problem }

export function registerNewsletters(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/newsletters',
    schema: {
      tags,
      operationId: 'listNewsletters',
      summary: 'List newsletters',
      description: 'By slug.',
      response: replies(NewsletterList),
    },
    handler: async (request) => {
      const rows = await listNewsletterRows(ctx.pg, personOf(request).organizationId)
      return { items: rows.map(newsletterView), next_cursor: null }
    },
  })

  app.route({
    method: 'GET',
    url: '/newsletters/:newsletter',
    schema: {
      tags,
      operationId: 'getNewsletter',
      summary: 'Get a newsletter',
      params: Path,
      response: replies(Newsletter),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const named = request.params.newsletter
      return newsletterView(found(await findNewsletterRow(ctx.pg, { organizationId, named })))
    },
  })

  app.route({
    method: 'POST',
    url: '/newsletters',
    schema: {
      tags,
      operationId: 'createNewsletter',
      summary: 'Create a newsletter',
      description:
        'The domain of `from_address` must be a verified sending domain of the organization, or one that the operator allowed.',
      body: NewsletterBody,
      response: { ...errorReplies, 201: Newsletter },
    },
    handler: async (request, reply) => {
      reply.code(201)
      return createNewsletter(ctx, actorOf(request), request.body)
    },
  })

  app.route({
    method: 'PATCH',
    url: '/newsletters/:newsletter',
    schema: {
      tags,
      operationId: 'updateNewsletter',
      summary: 'Update a newsletter',
      description:
        'Fields that are left out keep their values. A campaign whose sending has begun keeps the settings it began with.',
      params: Path,
      body: NewsletterChange,
      response: replies(Newsletter),
    },
    handler: (request) => {
      const named = request.params.newsletter
      return updateNewsletter(ctx, actorOf(request), { named, change: request.body })
    },
  })

  app.route({
    method: 'DELETE',
    url: '/newsletters/:newsletter',
    config: { role: 'owner' },
    schema: {
      tags,
      operationId: 'deleteNewsletter',
      summary: 'Delete a newsletter',
      description: 'Only a newsletter without contacts and campaigns can be deleted.',
      params: Path,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      await deleteNewsletter(ctx, actorOf(request), { named: request.params.newsletter })
      reply.code(204)
      return null
    },
  })
}
