import { z } from 'zod'
import {
  NewSendingDomain,
  SendingDomain,
  SendingDomainList,
} from '#schemas/rest/email/sending-domain.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, replies, requireUuid } from '../http/route.ts'
import {
  addDomain,
  checkStoredDomain,
  domainItem,
  domainsMax,
  removeDomain,
} from './change-domain.ts'
import { findSendingDomain, listSendingDomains } from './sending-domain-store.ts'

const tags = ['sending domains']
const DomainPath = z.object({ id: z.string() })
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerSendingDomains(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/domains',
    schema: {
      tags,
      summary: 'List sending domains with their DNS records',
      response: replies(SendingDomainList),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const rows = await listSendingDomains(ctx.pg, { organizationId, rowsMax: domainsMax })
      return { items: rows.map((row) => domainItem(row, ctx.mailSpf)) }
    },
  })

  app.route({
    method: 'POST',
    url: '/domains',
    config: { role: 'owner' },
    schema: {
      tags,
      summary: 'Add a sending domain, with a DKIM key of its own',
      description:
        'The domain belongs to the organization once its proof record is published. Emails from addresses of exactly this domain are signed, and have an envelope sender below it, only while a daily check finds its records.',
      body: NewSendingDomain,
      response: { ...errorReplies, 201: SendingDomain, 409: Problem },
    },
    handler: async (request, reply) => {
      const added = await addDomain(ctx, actorOf(request), request.body)
      reply.code(201)
      return added
    },
  })

  app.route({
    method: 'GET',
    url: '/domains/:id',
    schema: {
      tags,
      summary: 'One sending domain',
      params: DomainPath,
      response: replies(SendingDomain),
    },
    handler: async (request) => {
      const id = requireUuid(request.params.id)
      const { organizationId } = personOf(request)
      const stored = found(await findSendingDomain(ctx.pg, { organizationId, id }))
      return domainItem(stored, ctx.mailSpf)
    },
  })

  app.route({
    method: 'POST',
    url: '/domains/:id/check',
    schema: {
      tags,
      summary: 'Check the DNS records of a sending domain',
      params: DomainPath,
      response: replies(SendingDomain),
    },
    handler: (request) =>
      checkStoredDomain(ctx, actorOf(request), {
        id: requireUuid(request.params.id),
        now: new Date(ctx.clock.nowMs()),
      }),
  })

  app.route({
    method: 'DELETE',
    url: '/domains/:id',
    config: { role: 'owner' },
    schema: {
      tags,
      summary: 'Remove a sending domain and its key: its letters are no longer signed',
      params: DomainPath,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      await removeDomain(ctx.pg, actorOf(request), requireUuid(request.params.id))
      reply.code(204)
      return null
    },
  })
}
