/** Sending a campaign and watching it: `/api/v1/admin/email/campaigns/…` and the rate of the transport. */
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
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
import { addAudit } from '../../audit/audit-store.ts'
import { actorOf, personOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { CursorUuid, decodeCursor, pageOfRows } from '../../http/cursor.ts'
import { type ApiInstance, fileReplies, found, replies, requireUuid } from '../../http/route.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import { findCampaign, type StoredCampaign } from '../campaign-store.ts'
import {
  cancelCampaign,
  changeRate,
  pauseCampaign,
  resendDeliveries,
  resumeCampaign,
  startCampaign,
} from './change-sending.ts'
import {
  listDeliveries,
  readSending,
  readTransportRate,
  setTransportRate,
} from './delivery-store.ts'
import { exportDeliveries } from './export-deliveries.ts'
import { deliveryView, sendingView } from './sending-view.ts'

const tags = ['Email administration']
const CampaignPath = z.object({ campaign_id: z.string() })
const written = { ...replies(Sending), 409: Problem }
/** Plans further ahead are slips of the pen. */
const aheadMsMax = 366 * 86_400_000

export function registerSending(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/campaigns/:campaign_id/send',
    schema: {
      tags,
      summary: 'Send a campaign, now or at a time',
      params: CampaignPath,
      body: SendRequest.nullish(),
      response: written,
    },
    handler: async (request) => {
      const campaign = await requireCampaign(request)
      const { scheduledAt, ratePerSecond, warmUp, force } = request.body ?? {}
      const wish = {
        scheduledAt: scheduledAt ? laterThanNow(new Date(scheduledAt)) : null,
        rateMax: ratePerSecond,
        warmUp: warmUp === true,
        force: force === true,
      }
      await startCampaign(campaign, wish, actorOf(request), ctx)
      return view(campaign)
    },
  })

  const steps = [
    ['pause', 'Pause sending, within a second', pauseCampaign],
    ['resume', 'Go on with a paused campaign', resumeCampaign],
    ['cancel', 'Send nothing more of it, ever', cancelCampaign],
  ] as const
  for (const [step, summary, change] of steps) {
    app.route({
      method: 'POST',
      url: `/campaigns/:campaign_id/${step}`,
      schema: { tags, summary, params: CampaignPath, response: written },
      handler: async (request) => {
        const campaign = await requireCampaign(request)
        await change(campaign, actorOf(request), ctx)
        return view(campaign)
      },
    })
  }

  app.route({
    method: 'PUT',
    url: '/campaigns/:campaign_id/rate',
    schema: {
      tags,
      summary: 'Letters a second of this campaign',
      params: CampaignPath,
      body: SendingRate,
      response: written,
    },
    handler: async (request) => {
      const campaign = await requireCampaign(request)
      await changeRate(campaign, request.body.ratePerSecond, actorOf(request), ctx)
      return view(campaign)
    },
  })

  app.route({
    method: 'GET',
    url: '/campaigns/:campaign_id/progress',
    schema: {
      tags,
      summary: 'Where sending stands',
      params: CampaignPath,
      response: replies(Sending),
    },
    handler: async (request) => view(await requireCampaign(request)),
  })

  app.route({
    method: 'GET',
    url: '/campaigns/:campaign_id/deliveries',
    schema: {
      tags,
      summary: 'Who got it, and who did not',
      params: CampaignPath,
      querystring: DeliveryQuery,
      response: replies(DeliveryPage),
    },
    handler: async (request) => {
      const { id } = await requireCampaign(request)
      const { limit, cursor, state, query } = request.query
      const [after] = decodeCursor(cursor, z.tuple([CursorUuid])) ?? []
      const search = query === '' ? undefined : query
      const list = { campaignId: id, state, search, after, rowsMax: limit + 1 }
      const page = pageOfRows(await listDeliveries(ctx.pg, list), limit, (row) => [row.contactId])
      return { ...page, items: page.items.map(deliveryView) }
    },
  })

  app.route({
    method: 'GET',
    url: '/campaigns/:campaign_id/deliveries.csv',
    schema: {
      tags,
      summary: 'All deliveries as a CSV file',
      params: CampaignPath,
      querystring: z.object({ state: DeliveryState.optional() }),
      response: fileReplies('csv'),
    },
    handler: async (request, reply) => {
      const { id, archiveSlug } = await requireCampaign(request)
      const rows = exportDeliveries(ctx.pg, { campaignId: id, state: request.query.state })
      reply.header('content-type', 'text/csv; charset=utf-8')
      reply.header('content-disposition', `attachment; filename="deliveries-${archiveSlug}.csv"`)
      return reply.send(Readable.from(rows))
    },
  })

  app.route({
    method: 'POST',
    url: '/campaigns/:campaign_id/deliveries/resend',
    schema: {
      tags,
      summary: 'Send again to those of whom nobody knows, or who were refused',
      params: CampaignPath,
      body: ResendRequest,
      response: { ...replies(ResendReply), 409: Problem },
    },
    handler: async (request) => {
      const campaign = await requireCampaign(request)
      const { state, contactIds } = request.body
      const again = { state, contactIds: contactIds ?? null }
      return { requeued: await resendDeliveries(campaign, again, actorOf(request), ctx) }
    },
  })

  app.route({
    method: 'GET',
    url: '/transport',
    schema: { tags, summary: 'Letters a second of all campaigns', response: replies(SendingRate) },
    handler: async () => ({ ratePerSecond: await readTransportRate(ctx.pg) }),
  })

  app.route({
    method: 'PUT',
    url: '/transport',
    config: { role: 'owner' },
    schema: {
      tags,
      summary: 'Throttle all campaigns together',
      body: SendingRate,
      response: replies(SendingRate),
    },
    handler: async (request) => {
      const { ratePerSecond } = request.body
      await ctx.pg.transaction(async (pg) => {
        await setTransportRate(pg, ratePerSecond)
        const entry = { subjectType: 'transport', details: { ratePerSecond } }
        await addAudit(pg, actorOf(request), { ...entry, action: 'transport.rate_changed' })
      })
      return { ratePerSecond }
    },
  })

  async function requireCampaign(
    request: FastifyRequest<{ Params: { campaign_id: string } }>,
  ): Promise<StoredCampaign> {
    const { organizationId } = personOf(request as FastifyRequest)
    const id = requireUuid(request.params.campaign_id)
    return found(await findCampaign(ctx.pg, { organizationId, id }))
  }

  async function view({ id }: StoredCampaign): Promise<Sending> {
    return sendingView(found(await readSending(ctx.pg, id)))
  }

  function laterThanNow(at: Date): Date {
    const aheadMs = at.getTime() - ctx.clock.nowMs()
    if (aheadMs <= 0) throw invalidField('scheduledAt', 'must be in the future')
    if (aheadMs > aheadMsMax) throw invalidField('scheduledAt', 'must be within a year')
    return at
  }
}
