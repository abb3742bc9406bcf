/** Sending domains and their DNS records: `/api/v1/admin/email/domains`. */
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
import { checkSendingDomain } from './check-sending-domain.ts'
import { createSendingDomain } from './create-sending-domain.ts'
import { deleteSendingDomain } from './delete-sending-domain.ts'
import { domainsMax, findSendingDomain, listSendingDomains } from './sending-domain-store.ts'
import { sendingDomainView } from './sending-domain-view.ts'

const tags = ['sending domains']
const DomainPath = z.object({ id: z.string() })
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerSendingDomains(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/domains',
    schema: {
      tags,
      operationId: 'listSendingDomains',
      summary: 'List sending domains',
      description: 'With the DNS records that each needs, and what the last check found.',
      response: replies(SendingDomainList),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const rows = await listSendingDomains(ctx.pg, { organizationId, rowsMax: domainsMax })
      return { items: rows.map((row) => sendingDomainView(row, ctx.mailSpf)) }
    },
  })

  app.route({
    method: 'POST',
    url: '/domains',
    config: { role: 'owner' },
    schema: {
      tags,
      operationId: 'createSendingDomain',
      summary: 'Create a sending domain',
      description:
        'It gets a DKIM key of its own. The domain belongs to the organization once its proof record is published. Emails from addresses of exactly this domain are signed, and have an envelope sender below it, only while a daily check finds its records.',
      body: NewSendingDomain,
      response: { ...errorReplies, 201: SendingDomain, 409: Problem },
    },
    handler: async (request, reply) => {
      const created = await createSendingDomain(ctx, actorOf(request), request.body)
      reply.code(201)
      return created
    },
  })

  app.route({
    method: 'GET',
    url: '/domains/:id',
    schema: {
      tags,
      operationId: 'getSendingDomain',
      summary: 'Get a sending domain',
      params: DomainPath,
      response: replies(SendingDomain),
    },
    handler: async (request) => {
      const id = requireUuid(request.params.id)
      const { organizationId } = personOf(request)
      const stored = found(await findSendingDomain(ctx.pg, { organizationId, id }))
      return sendingDomainView(stored, ctx.mailSpf)
    },
  })

  app.route({
    method: 'POST',
    url: '/domains/:id/check',
    schema: {
      tags,
      operationId: 'checkSendingDomain',
      summary: 'Check the DNS records of a sending domain',
      params: DomainPath,
      response: replies(SendingDomain),
    },
    handler: (request) => checkSendingDomain(ctx, actorOf(request), request.params),
  })

  app.route({
    method: 'DELETE',
    url: '/domains/:id',
    config: { role: 'owner' },
    schema: {
      tags,
      operationId: 'deleteSendingDomain',
      summary: 'Delete a sending domain',
      description: 'Its DKIM key is deleted as well, so emails from it are no longer signed.',
      params: DomainPath,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      await deleteSendingDomain(ctx, actorOf(request), request.params)
      reply.code(204)
      return null
    },
  })
}
