/**
 * Routes for people who write campaigns: `/api/v1/admin/email/campaigns`. Sending is in `sending/`.
 */
import { z } from 'zod'
import { NewCampaign } from '#schemas/rest/email/campaign.ts'
import {
  CampaignChange,
  CampaignDetail,
  CampaignListQuery,
  CampaignPage,
} from '#schemas/rest/email/campaign-admin.ts'
import { emailBodyBytesMax } from '#schemas/rest/email/email-source.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { CursorTime, CursorUuid, decodeCursor, pageOfRows } from '../http/cursor.ts'
import { type ApiInstance, replies } from '../http/route.ts'
import { campaignDetail, campaignItem } from './campaign-reply.ts'
import { listCampaigns } from './campaign-store.ts'
import { createCampaign } from './create-campaign.ts'
import { deleteCampaign } from './delete-campaign.ts'
import { duplicateCampaign } from './duplicate-campaign.ts'
import { requireCampaign } from './require-campaign.ts'
import { updateCampaign } from './update-campaign.ts'

export const CampaignPath = z.object({ campaign_id: z.string() })
const Position = z.tuple([CursorTime, CursorUuid])
const bodyLimit = emailBodyBytesMax
const tags = ['campaigns']

export function registerCampaignAdmin(app: ApiInstance, ctx: ApiContext): void {
  const { 200: _detail, ...problems } = replies(CampaignDetail)
  const written = { ...problems, 409: Problem, 413: Problem }

  app.route({
    method: 'GET',
    url: '/campaigns',
    schema: {
      tags,
      operationId: 'listCampaigns',
      summary: 'List campaigns',
      description: 'In all states, newest first.',
      querystring: CampaignListQuery,
      response: replies(CampaignPage),
    },
    handler: async (request) => {
      const { newsletter, state: states, limit, cursor } = request.query
      const { organizationId } = personOf(request)
      const after = decodeCursor(cursor, Position)
      const rows = await listCampaigns(ctx.pg, { organizationId, newsletter, states, after, limit })
      const page = pageOfRows(rows, limit, ({ at, id }) => [at, id])
      return { ...page, items: page.items.map((campaign) => campaignItem(campaign, ctx.apiUrl)) }
    },
  })

  app.route({
    method: 'POST',
    url: '/campaigns',
    bodyLimit,
    schema: {
      tags,
      operationId: 'createCampaign',
      summary: 'Create a campaign',
      description: 'The campaign is a draft until it is sent or scheduled.',
      body: NewCampaign,
      response: { ...written, 201: CampaignDetail },
    },
    handler: async (request, reply) =>
      reply.code(201).send(await createCampaign(ctx, actorOf(request), request.body)),
  })

  app.route({
    method: 'GET',
    url: '/campaigns/:campaign_id',
    schema: {
      tags,
      operationId: 'getCampaign',
      summary: 'Get a campaign',
      description: 'With its HTML or Markdown.',
      params: CampaignPath,
      response: replies(CampaignDetail),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const campaignId = request.params.campaign_id
      return campaignDetail(
        await requireCampaign(ctx.pg, { organizationId, campaignId }),
        ctx.apiUrl,
      )
    },
  })

  app.route({
    method: 'PATCH',
    url: '/campaigns/:campaign_id',
    bodyLimit,
    schema: {
      tags,
      operationId: 'updateCampaign',
      summary: 'Update a draft',
      description:
        'Fields that are left out keep their values. `html` replaces `markdown`, and the other way round.',
      params: CampaignPath,
      body: CampaignChange,
      response: { ...written, 200: CampaignDetail },
    },
    handler: (request) => {
      const campaignId = request.params.campaign_id
      return updateCampaign(ctx, actorOf(request), { campaignId, change: request.body })
    },
  })

  app.route({
    method: 'DELETE',
    url: '/campaigns/:campaign_id',
    schema: {
      tags,
      operationId: 'deleteCampaign',
      summary: 'Delete a draft',
      params: CampaignPath,
      response: { ...written, 204: z.null() },
    },
    handler: async (request, reply) => {
      await deleteCampaign(ctx, actorOf(request), { campaignId: request.params.campaign_id })
      return reply.code(204).send(null)
    },
  })

  app.route({
    method: 'POST',
    url: '/campaigns/:campaign_id/duplicate',
    schema: {
      tags,
      operationId: 'duplicateCampaign',
      summary: 'Duplicate a campaign',
      description:
        'Creates a draft with the same subject and text and with an archive slug of its own.',
      params: CampaignPath,
      response: { ...written, 201: CampaignDetail },
    },
    handler: async (request, reply) => {
      const campaignId = request.params.campaign_id
      return reply.code(201).send(await duplicateCampaign(ctx, actorOf(request), { campaignId }))
    },
  })
}
