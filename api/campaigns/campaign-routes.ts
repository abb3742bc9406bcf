/**
 * Campaigns over the email API: programs create drafts and list what was sent. Only a person can
 * send a campaign.
 */
import {
  CreatedCampaign,
  NewCampaign,
  SentCampaignList,
  SentCampaignQuery,
} from '#schemas/rest/email/campaign.ts'
import { emailBodyBytesMax } from '#schemas/rest/email/email-source.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { apiKeyOf } from '../auth/require-api-key.ts'
import type { ApiContext } from '../context.ts'
import { IdempotencyHeaders } from '../http/idempotency/idempotency-header.ts'
import { type ApiInstance, replies } from '../http/route.ts'
import { draftCampaign } from './draft-campaign.ts'
import { listSent } from './list-sent.ts'

const tags = ['campaigns']

export function registerCampaigns(app: ApiInstance, ctx: ApiContext): void {
  const { 200: _list, ...problems } = replies(SentCampaignList)
  app.route({
    method: 'POST',
    url: '/campaigns',
    bodyLimit: emailBodyBytesMax,
    schema: {
      tags,
      operationId: 'draftCampaign',
      summary: 'Create a draft',
      description:
        'A person sends it, in the dashboard or on the command line. A request that repeats its `Idempotency-Key` creates no second draft.',
      headers: IdempotencyHeaders,
      body: NewCampaign,
      response: { 201: CreatedCampaign, ...problems, 409: Problem, 413: Problem, 422: Problem },
    },
    handler: async (request, reply) => {
      const call = { request, reply, caller: apiKeyOf(request) }
      const created = await draftCampaign(ctx, call, request.body)
      return reply.code(201).send(created)
    },
  })

  app.route({
    method: 'GET',
    url: '/campaigns',
    schema: {
      tags,
      operationId: 'listSentCampaigns',
      summary: 'List sent campaigns',
      description: 'Newest first. A campaign is listed from the moment its sending begins.',
      querystring: SentCampaignQuery,
      response: replies(SentCampaignList),
    },
    handler: (request) => listSent(ctx, apiKeyOf(request), request.query),
  })
}
