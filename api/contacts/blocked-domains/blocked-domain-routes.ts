/** Domains whose addresses cannot sign up (email-api: States). */
import { z } from 'zod'
import {
  BlockedDomainItem,
  BlockedDomainList,
  NewBlockedDomain,
} from '#schemas/rest/email/blocked-domain.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, personOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { type ApiInstance, replies } from '../../http/route.ts'
import { blockDomain } from './block-domain.ts'
import { type BlockedDomain, listBlockedDomains } from './blocked-domain-store.ts'
import { unblockDomain } from './unblock-domain.ts'

const tags = ['blocked domains']
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerBlockedDomains(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/blocked-domains',
    schema: {
      tags,
      operationId: 'listBlockedDomains',
      summary: 'List blocked domains',
      description: 'In alphabetical order. Their addresses cannot sign up.',
      response: replies(BlockedDomainList),
    },
    handler: async (request) => {
      const rows = await listBlockedDomains(ctx.pg, personOf(request).organizationId)
      return { items: rows.map(itemOf) }
    },
  })

  app.route({
    method: 'POST',
    url: '/blocked-domains',
    schema: {
      tags,
      operationId: 'createBlockedDomain',
      summary: 'Block a domain and its subdomains',
      description:
        'Addresses of the domain cannot sign up any more. Contacts that exist keep their status. 201 for a new entry, 200 when the domain is blocked already.',
      body: NewBlockedDomain,
      response: { ...errorReplies, 200: BlockedDomainItem, 201: BlockedDomainItem, 409: Problem },
    },
    handler: async (request, reply) => {
      const { domain, confirmed = false } = request.body
      const { added, entry } = await blockDomain(ctx, actorOf(request), { domain, confirmed })
      reply.code(added ? 201 : 200)
      return itemOf(entry)
    },
  })

  app.route({
    method: 'DELETE',
    url: '/blocked-domains/:domain',
    schema: {
      tags,
      operationId: 'deleteBlockedDomain',
      summary: 'Delete a blocked domain',
      description: 'Addresses of the domain can sign up again.',
      params: z.object({ domain: z.string() }),
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      await unblockDomain(ctx, actorOf(request), request.params)
      reply.code(204)
      return null
    },
  })
}

function itemOf({ domain, created_at }: BlockedDomain): z.infer<typeof BlockedDomainItem> {
  return { domain, createdAt: created_at.toISOString() }
}
