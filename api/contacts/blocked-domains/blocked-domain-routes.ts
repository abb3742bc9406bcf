/** Whose addresses may not sign up (email-api: States). Contacts that are there already stay until somebody removes them. */
import { z } from 'zod'
import { parseDomainName } from '#schemas/domain-name.ts'
import { CodedError } from '#schemas/error-codes.ts'
import {
  BlockedDomainItem,
  BlockedDomainList,
  NewBlockedDomain,
} from '#schemas/rest/email/blocked-domain.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { addAudit } from '../../audit/audit-store.ts'
import { actorOf, personOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { type ApiInstance, found, replies } from '../../http/route.ts'
import {
  addBlockedDomain,
  deleteBlockedDomain,
  listBlockedDomains,
} from './blocked-domain-store.ts'
import { parseBlockedDomain } from './parse-blocked-domain.ts'

const tags = ['blocked domains']
/** All of them are one page, and nobody reads more. */
export const blockedDomainsMax = 10_000
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerBlockedDomains(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/blocked-domains',
    schema: {
      tags,
      summary: 'Domains that may not sign up, in the order of the alphabet',
      response: replies(BlockedDomainList),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const rows = await listBlockedDomains(ctx.pg, { organizationId, rowsMax: blockedDomainsMax })
      return {
        items: rows.map(({ domain, created_at }) => ({
          domain,
          createdAt: created_at.toISOString(),
        })),
      }
    },
  })

  app.route({
    method: 'POST',
    url: '/blocked-domains',
    schema: {
      tags,
      summary: 'Block a domain and all below it',
      body: NewBlockedDomain,
      response: { ...errorReplies, 200: BlockedDomainItem, 201: BlockedDomainItem, 409: Problem },
    },
    handler: async (request, reply) => {
      const domain = parseBlockedDomain({
        domain: request.body.domain,
        confirmed: request.body.confirmed === true,
      })
      const { organizationId } = personOf(request)
      const now = new Date(ctx.clock.nowMs())
      const added = await ctx.pg.transaction(async (pg) => {
        const entries = await listBlockedDomains(pg, { organizationId, rowsMax: blockedDomainsMax })
        if (entries.length === blockedDomainsMax) {
          throw new CodedError('conflict', {
            message: `An organization blocks at most ${blockedDomainsMax} domains.`,
          })
        }
        const result = await addBlockedDomain(pg, { organizationId, domain, now })
        if (result === 'was_there') return result
        await addAudit(pg, actorOf(request), {
          action: 'blocked_domain.added',
          subjectType: 'blocked_domain',
          subjectId: domain,
        })
        return result
      })
      reply.code(added === 'added' ? 201 : 200)
      return { domain, createdAt: now.toISOString() }
    },
  })

  app.route({
    method: 'DELETE',
    url: '/blocked-domains/:domain',
    schema: {
      tags,
      summary: 'Let a domain sign up again',
      params: z.object({ domain: z.string() }),
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      const parsed = parseDomainName(request.params.domain)
      const domain = found(parsed.kind === 'domain' ? parsed.domain : undefined)
      const { organizationId } = personOf(request)
      await ctx.pg.transaction(async (pg) => {
        if (!(await deleteBlockedDomain(pg, { organizationId, domain }))) {
          throw new CodedError('not_found')
        }
        await addAudit(pg, actorOf(request), {
          action: 'blocked_domain.removed',
          subjectType: 'blocked_domain',
          subjectId: domain,
        })
      })
      reply.code(204)
      return null
    },
  })
}
