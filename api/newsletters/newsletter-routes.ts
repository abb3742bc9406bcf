import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import {
  Newsletter,
  NewsletterBody,
  NewsletterChange,
  NewsletterList,
} from '#schemas/rest/email/newsletter.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { addAudit } from '../audit/audit-store.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, replies } from '../http/route.ts'
import { requireFromAddress } from '../sending-domains/from-address.ts'
import {
  addNewsletterRow,
  changeNewsletterRow,
  deleteUnusedNewsletter,
  findNewsletterRow,
  listNewsletterRows,
  type NewsletterRow,
} from './organization-newsletter-store.ts'
import { requireWelcome } from './require-welcome.ts'

const tags = ['newsletters']
const Path = z.object({ newsletter: z.string().max(64).describe('Its id or its slug.') })
const { 200: _ok, ...errorReplies } = { ...replies(Problem), 409: Problem }

export function registerNewsletters(app: ApiInstance, ctx: ApiContext): void {
  const requireFrom = (organizationId: string, address: string) =>
    requireFromAddress(ctx, { organizationId, address }, 'from_address')

  app.route({
    method: 'GET',
    url: '/newsletters',
    schema: { tags, summary: 'The newsletters, by slug', response: replies(NewsletterList) },
    handler: async (request) => {
      const rows = await listNewsletterRows(ctx.pg, personOf(request).organizationId)
      return { items: rows.map(viewOf), next_cursor: null }
    },
  })

  app.route({
    method: 'GET',
    url: '/newsletters/:newsletter',
    schema: { tags, summary: 'One newsletter', params: Path, response: replies(Newsletter) },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const named = request.params.newsletter
      return viewOf(found(await findNewsletterRow(ctx.pg, { organizationId, named })))
    },
  })

  app.route({
    method: 'POST',
    url: '/newsletters',
    schema: {
      tags,
      summary: 'Create a newsletter',
      description:
        'The domain of `from_address` must be a verified sending domain of the organization, or one that the operator allowed.',
      body: NewsletterBody,
      response: { ...errorReplies, 201: Newsletter },
    },
    handler: async (request, reply) => {
      const { organizationId } = personOf(request)
      await requireFrom(organizationId, request.body.from_address)
      const row = await ctx.pg.transaction(async (client) => {
        const made = await addNewsletterRow(client, organizationId, request.body)
        requireWelcome(made)
        await addAudit(client, actorOf(request), {
          action: 'newsletter.created',
          subjectType: 'newsletter',
          subjectId: made.id,
          details: { slug: made.slug, name: made.name },
        })
        return made
      })
      reply.code(201)
      return viewOf(row)
    },
  })

  app.route({
    method: 'PATCH',
    url: '/newsletters/:newsletter',
    schema: {
      tags,
      summary: 'Change a newsletter',
      description: 'What is left out stays as it is. Issues that are under way keep what they had.',
      params: Path,
      body: NewsletterChange,
      response: replies(Newsletter),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const named = request.params.newsletter
      const { from_address: from } = request.body
      if (from !== undefined) await requireFrom(organizationId, from)
      const change = { ...request.body, now: new Date(ctx.clock.nowMs()) }
      const row = await ctx.pg.transaction(async (client) => {
        const { id } = found(await findNewsletterRow(client, { organizationId, named }))
        const changed = found(await changeNewsletterRow(client, { organizationId, id }, change))
        requireWelcome(changed)
        await addAudit(client, actorOf(request), {
          action: 'newsletter.changed',
          subjectType: 'newsletter',
          subjectId: id,
          details: { slug: changed.slug, fields: Object.keys(request.body) },
        })
        return changed
      })
      return viewOf(row)
    },
  })

  app.route({
    method: 'DELETE',
    url: '/newsletters/:newsletter',
    config: { role: 'owner' },
    schema: {
      tags,
      summary: 'Delete a newsletter that has neither contacts nor issues',
      params: Path,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      const { organizationId } = personOf(request)
      const named = request.params.newsletter
      await ctx.pg.transaction(async (client) => {
        const { id, slug } = found(await findNewsletterRow(client, { organizationId, named }))
        if ((await deleteUnusedNewsletter(client, { organizationId, id })) === 'in_use') {
          throw new CodedError('conflict', {
            message: 'This newsletter has contacts or issues, whose records must stay.',
          })
        }
        await addAudit(client, actorOf(request), {
          action: 'newsletter.deleted',
          subjectType: 'newsletter',
          subjectId: id,
          details: { slug },
        })
      })
      reply.code(204)
      return null
    },
  })
}

function viewOf({ created_at, updated_at, ...row }: NewsletterRow): Newsletter {
  return {
    ...row,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}
