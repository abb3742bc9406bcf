/** Who is behind the bounces, complaints and unsubscribes of a campaign. */
import { z } from 'zod'
import {
  CampaignBouncePage,
  CampaignBounceQuery,
  CampaignUnsubscribePage,
} from '#schemas/rest/email/bounce.ts'
import { PageQuery } from '#schemas/rest/page.ts'
import { personOf } from '../../auth/people-gate.ts'
import { bounceView } from '../../bounces/bounce-view.ts'
import { listCampaignBounces } from '../../bounces/email-bounce-store.ts'
import type { ApiContext } from '../../context.ts'
import { CursorTime, CursorUuid, decodeCursor, pageOfRows } from '../../http/cursor.ts'
import { type ApiInstance, replies } from '../../http/route.ts'
import { CampaignPath } from '../campaign-admin-routes.ts'
import { requireCampaign } from '../require-campaign.ts'
import { type ListedUnsubscribe, listUnsubscribes } from './results-store.ts'

const tags = ['campaigns']

export function registerCampaignLosses(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/campaigns/:campaign_id/bounces',
    schema: {
      tags,
      operationId: 'listCampaignBounces',
      summary: 'List the bounces and complaints of a campaign',
      description:
        'Newest first. Reports that name the address but not the email belong to no campaign.',
      params: CampaignPath,
      querystring: CampaignBounceQuery,
      response: replies(CampaignBouncePage),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const campaignId = request.params.campaign_id
      const { id } = await requireCampaign(ctx.pg, { organizationId, campaignId })
      const { limit, cursor, type } = request.query
      const rows = await listCampaignBounces(ctx.pg, {
        organizationId,
        campaignId: id,
        type,
        beforeId: decodeCursor(cursor, z.tuple([CursorUuid]))?.[0],
        rowsMax: limit + 1,
      })
      const page = pageOfRows(rows, limit, (row) => [row.id])
      return { ...page, items: page.items.map(bounceView) }
    },
  })

  app.route({
    method: 'GET',
    url: '/campaigns/:campaign_id/unsubscribes',
    schema: {
      tags,
      operationId: 'listCampaignUnsubscribes',
      summary: 'List who unsubscribed with a link of a campaign',
      description: 'Newest first. Contacts that subscribed again are left out.',
      params: CampaignPath,
      querystring: z.object(PageQuery),
      response: replies(CampaignUnsubscribePage),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const campaignId = request.params.campaign_id
      const { id } = await requireCampaign(ctx.pg, { organizationId, campaignId })
      const { limit, cursor } = request.query
      const before = decodeCursor(cursor, z.tuple([CursorTime, CursorUuid]))
      const rows = await listUnsubscribes(ctx.pg, { campaignId: id, before, rowsMax: limit + 1 })
      const page = pageOfRows(rows, limit, (row) => [row.atText, row.eventId])
      return { ...page, items: page.items.map(unsubscribeView) }
    },
  })
}

export function unsubscribeView({ contactId, email, name, via, reason, at }: ListedUnsubscribe) {
  return { contactId, email, name, via, reason, at: at.toISOString() }
}
