/**
 * Routes that send a campaign and report its progress: `/api/v1/admin/email/campaigns/…` and the
 * rate of the transport.
 */
import { Readable } from 'node:stream'
import { z } from 'zod'
import {
  DeliveryDetail,
  DeliveryPage,
  DeliveryQuery,
  DeliveryState,
  ResendReply,
  ResendRequest,
  Sending,
  SendingRate,
  SendRequest,
} from '#schemas/rest/email/sending.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, personOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { CursorUuid, decodeCursor, pageOfRows } from '../../http/cursor.ts'
import { type ApiInstance, fileReplies, replies } from '../../http/route.ts'
import { CampaignPath } from '../campaign-admin-routes.ts'
import { requireCampaign } from '../require-campaign.ts'
import { cancelCampaign } from './cancel-campaign.ts'
import { listDeliveries, readTransportRate } from './delivery-store.ts'
import { exportDeliveries } from './export-deliveries.ts'
import { getDelivery } from './get-delivery.ts'
import { getSending } from './get-sending.ts'
import { pauseCampaign } from './pause-campaign.ts'
import { resendDeliveries } from './resend-deliveries.ts'
import { resumeCampaign } from './resume-campaign.ts'
import { sendCampaign } from './send-campaign.ts'
import { deliveryView } from './sending-view.ts'
import { setCampaignRate } from './set-campaign-rate.ts'
import { setTransportRate } from './set-transport-rate.ts'

const tags = ['campaigns']
const deliveryTags = ['deliveries']
const Position = z.tuple([CursorUuid])
const written = { ...replies(Sending), 409: Problem }

/** The steps without a body: path, operation, summary, description, action. */
const steps = [
  {
    step: 'pause',
    operationId: 'pauseCampaign',
    summary: 'Pause a campaign',
    description: 'Sending stops within a second.',
    change: pauseCampaign,
  },
  {
    step: 'resume',
    operationId: 'resumeCampaign',
    summary: 'Resume a paused campaign',
    description: 'Refused while the From address is not of a verified or allowed domain.',
    change: resumeCampaign,
  },
  {
    step: 'cancel',
    operationId: 'cancelCampaign',
    summary: 'Cancel a campaign',
    description: 'Stops sending permanently. A scheduled campaign becomes a draft again.',
    change: cancelCampaign,
  },
] as const

export function registerSending(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/campaigns/:campaign_id/send',
    schema: {
      tags,
      operationId: 'sendCampaign',
      summary: 'Send a campaign',
      description:
        'Now, or at `scheduledAt`, at most a year ahead. The email is composed and frozen when this is called.',
      params: CampaignPath,
      body: SendRequest.nullish(),
      response: written,
    },
    handler: (request) => {
      const campaignId = request.params.campaign_id
      return sendCampaign(ctx, actorOf(request), { ...request.body, campaignId })
    },
  })

  for (const { step, operationId, summary, description, change } of steps) {
    app.route({
      method: 'POST',
      url: `/campaigns/:campaign_id/${step}`,
      schema: { tags, operationId, summary, description, params: CampaignPath, response: written },
      handler: (request) =>
        change(ctx, actorOf(request), { campaignId: request.params.campaign_id }),
    })
  }

  app.route({
    method: 'PUT',
    url: '/campaigns/:campaign_id/rate',
    schema: {
      tags,
      operationId: 'setCampaignRate',
      summary: 'Limit the rate of a campaign',
      description: 'In emails per second. The rate of the transport applies as well.',
      params: CampaignPath,
      body: SendingRate,
      response: written,
    },
    handler: (request) => {
      const campaignId = request.params.campaign_id
      const { ratePerSecond } = request.body
      return setCampaignRate(ctx, actorOf(request), { campaignId, ratePerSecond })
    },
  })

  app.route({
    method: 'GET',
    url: '/campaigns/:campaign_id/progress',
    schema: {
      tags,
      operationId: 'getCampaignProgress',
      summary: 'Get the progress of a campaign',
      params: CampaignPath,
      response: replies(Sending),
    },
    handler: (request) =>
      getSending(ctx, personOf(request), { campaignId: request.params.campaign_id }),
  })

  registerTransport(app, ctx)
  registerDeliveries(app, ctx)
}

function registerTransport(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/transport',
    schema: {
      tags,
      operationId: 'getTransportRate',
      summary: 'Get the rate limit of all campaigns',
      description: 'In emails per second, for all campaigns of the installation together.',
      response: replies(SendingRate),
    },
    handler: async () => ({ ratePerSecond: await readTransportRate(ctx.pg) }),
  })

  app.route({
    method: 'PUT',
    url: '/transport',
    config: { role: 'owner' },
    schema: {
      tags,
      operationId: 'setTransportRate',
      summary: 'Limit the rate of all campaigns',
      description: 'In emails per second, for all campaigns of the installation together.',
      body: SendingRate,
      response: replies(SendingRate),
    },
    handler: (request) => setTransportRate(ctx, actorOf(request), request.body),
  })
}

function registerDeliveries(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/campaigns/:campaign_id/deliveries',
    schema: {
      tags: deliveryTags,
      operationId: 'listDeliveries',
      summary: 'List the deliveries of a campaign',
      description: 'One for each contact of the audience, with its state and the reason for it.',
      params: CampaignPath,
      querystring: DeliveryQuery,
      response: replies(DeliveryPage),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const campaignId = request.params.campaign_id
      const { id } = await requireCampaign(ctx.pg, { organizationId, campaignId })
      const { limit, cursor, state, query } = request.query
      const [after] = decodeCursor(cursor, Position) ?? []
      const search = query === '' ? undefined : query
      const list = { campaignId: id, state, search, after, rowsMax: limit + 1 }
      const page = pageOfRows(await listDeliveries(ctx.pg, list), limit, (row) => [row.contactId])
      return { ...page, items: page.items.map(deliveryView) }
    },
  })

  app.route({
    method: 'GET',
    url: '/campaigns/:campaign_id/deliveries/:contact_id',
    schema: {
      tags: deliveryTags,
      operationId: 'getDelivery',
      summary: 'Get a delivery with its attempts',
      params: CampaignPath.extend({ contact_id: z.string() }),
      response: replies(DeliveryDetail),
    },
    handler: (request) => {
      const { campaign_id: campaignId, contact_id: contactId } = request.params
      return getDelivery(ctx, personOf(request), { campaignId, contactId })
    },
  })

  app.route({
    method: 'GET',
    url: '/campaigns/:campaign_id/deliveries.csv',
    schema: {
      tags: deliveryTags,
      operationId: 'exportDeliveries',
      summary: 'Export the deliveries of a campaign (CSV)',
      params: CampaignPath,
      querystring: z.object({ state: DeliveryState.optional() }),
      response: fileReplies('csv'),
    },
    handler: async (request, reply) => {
      const filter = { campaignId: request.params.campaign_id, state: request.query.state }
      const { filename, lines } = await exportDeliveries(ctx, actorOf(request), filter)
      reply.header('content-type', 'text/csv; charset=utf-8')
      reply.header('content-disposition', `attachment; filename="${filename}"`)
      return reply.send(Readable.from(lines))
    },
  })

  app.route({
    method: 'POST',
    url: '/campaigns/:campaign_id/deliveries/resend',
    schema: {
      tags: deliveryTags,
      operationId: 'resendDeliveries',
      summary: 'Resend uncertain or failed deliveries',
      description: 'Recipients of uncertain deliveries may get the email a second time.',
      params: CampaignPath,
      body: ResendRequest,
      response: { ...replies(ResendReply), 409: Problem },
    },
    handler: (request) => {
      const campaignId = request.params.campaign_id
      return resendDeliveries(ctx, actorOf(request), { ...request.body, campaignId })
    },
  })
}
