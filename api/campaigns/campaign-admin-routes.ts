/** Campaigns as people work on them, up to the moment of sending: `/api/v1/admin/email/campaigns`. */
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import { NewCampaign } from '#schemas/rest/email/campaign.ts'
import {
  CampaignChange,
  CampaignDetail,
  CampaignListQuery,
  CampaignPage,
} from '#schemas/rest/email/campaign-admin.ts'
import { emailBodyBytesMax } from '#schemas/rest/email/email-source.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { addAudit } from '../audit/audit-store.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { CursorTime, CursorUuid, decodeCursor, pageOfRows } from '../http/cursor.ts'
import { type ApiInstance, found, replies, requireUuid } from '../http/route.ts'
import { campaignDetail, campaignItem } from './campaign-reply.ts'
import { requireNewsletter } from './campaign-routes.ts'
import {
  changeDraft,
  deleteDraft,
  findCampaign,
  listCampaigns,
  type StoredCampaign,
} from './campaign-store.ts'
import { checkComposable, createDraft, slugTaken } from './create-draft.ts'
import { editOf } from './edit-draft.ts'

export const CampaignPath = z.object({ campaign_id: z.string() })
const bodyLimit = emailBodyBytesMax
const tags = ['Email administration']

export function registerCampaignAdmin(app: ApiInstance, ctx: ApiContext): void {
  const { 200: _detail, ...problems } = replies(CampaignDetail)
  const written = { ...problems, 409: Problem, 413: Problem }

  app.route({
    method: 'GET',
    url: '/campaigns',
    schema: {
      tags,
      summary: 'List campaigns',
      querystring: CampaignListQuery,
      response: replies(CampaignPage),
    },
    handler: async (request) => {
      const { newsletter, state, limit, cursor } = request.query
      const after = decodeCursor(cursor, z.tuple([CursorTime, CursorUuid]))
      const { organizationId } = personOf(request)
      const filter = { organizationId, newsletter, state, after, limit }
      const page = pageOfRows(await listCampaigns(ctx.pg, filter), limit, ({ at, id }) => [at, id])
      return { ...page, items: page.items.map((campaign) => campaignItem(campaign, ctx.apiUrl)) }
    },
  })

  app.route({
    method: 'POST',
    url: '/campaigns',
    bodyLimit,
    schema: {
      tags,
      summary: 'Make a draft',
      body: NewCampaign,
      response: { ...written, 201: CampaignDetail },
    },
    handler: async (request, reply) => {
      const { newsletter: slug, ...source } = request.body
      const actor = actorOf(request)
      const newsletter = await requireNewsletter(ctx, actor.organizationId, slug)
      await checkComposable(ctx, actor.organizationId, source)
      const now = new Date(ctx.clock.nowMs())
      const { id } = await ctx.pg.transaction(async (pg) => {
        const draft = await createDraft(pg, { newsletter, source, createdBy: actor.name, now })
        await addAudit(pg, actor, { action: 'campaign.created', ...subject(draft.id) })
        return draft
      })
      return reply.code(201).send(campaignDetail(await requireCampaign(request, id), ctx.apiUrl))
    },
  })

  app.route({
    method: 'GET',
    url: '/campaigns/:campaign_id',
    schema: {
      tags,
      summary: 'One campaign with its source',
      params: CampaignPath,
      response: replies(CampaignDetail),
    },
    handler: async (request) =>
      campaignDetail(await requireCampaign(request, request.params.campaign_id), ctx.apiUrl),
  })

  app.route({
    method: 'PATCH',
    url: '/campaigns/:campaign_id',
    bodyLimit,
    schema: {
      tags,
      summary: 'Change a draft',
      params: CampaignPath,
      body: CampaignChange,
      response: { ...written, 200: CampaignDetail },
    },
    handler: async (request) => {
      const campaign = await requireCampaign(request, request.params.campaign_id)
      const edit = editOf(campaign, request.body)
      await checkComposable(ctx, campaign.newsletter.organizationId, edit)
      const now = new Date(ctx.clock.nowMs())
      const { id, newsletter } = campaign
      await ctx.pg.transaction(async (pg) => {
        const result = await changeDraft(pg, { id, newsletterId: newsletter.id, edit, now })
        if (result === 'slug_taken') throw slugTaken()
        if (result === 'not_a_draft') throw notADraft(campaign)
        const details = { fields: Object.keys(request.body) }
        const entry = { action: 'campaign.changed', ...subject(id), details } as const
        await addAudit(pg, actorOf(request), entry)
      })
      return campaignDetail(await requireCampaign(request, id), ctx.apiUrl)
    },
  })

  app.route({
    method: 'DELETE',
    url: '/campaigns/:campaign_id',
    schema: {
      tags,
      summary: 'Delete a draft',
      params: CampaignPath,
      response: { ...written, 204: z.null() },
    },
    handler: async (request, reply) => {
      const campaign = await requireCampaign(request, request.params.campaign_id)
      await ctx.pg.transaction(async (pg) => {
        if (!(await deleteDraft(pg, campaign.id))) throw notADraft(campaign)
        const details = { subject: campaign.subject }
        const entry = { action: 'campaign.deleted', ...subject(campaign.id), details } as const
        await addAudit(pg, actorOf(request), entry)
      })
      return reply.code(204).send(null)
    },
  })

  app.route({
    method: 'POST',
    url: '/campaigns/:campaign_id/duplicate',
    schema: {
      tags,
      summary: 'Make a draft of the same text',
      params: CampaignPath,
      response: { ...written, 201: CampaignDetail },
    },
    handler: async (request, reply) => {
      const campaign = await requireCampaign(request, request.params.campaign_id)
      const actor = actorOf(request)
      const now = new Date(ctx.clock.nowMs())
      const { newsletter, archiveSlug: _slug, ...source } = campaign
      await checkComposable(ctx, newsletter.organizationId, source)
      const { id } = await ctx.pg.transaction(async (pg) => {
        const draft = await createDraft(pg, { newsletter, source, createdBy: actor.name, now })
        const details = { of: campaign.id }
        await addAudit(pg, actor, { action: 'campaign.created', ...subject(draft.id), details })
        return draft
      })
      return reply.code(201).send(campaignDetail(await requireCampaign(request, id), ctx.apiUrl))
    },
  })

  async function requireCampaign(
    request: Parameters<typeof personOf>[0],
    id: string,
  ): Promise<StoredCampaign> {
    const { organizationId } = personOf(request)
    return found(await findCampaign(ctx.pg, { organizationId, id: requireUuid(id) }))
  }
}

function subject(id: string) {
  return { subjectType: 'campaign', subjectId: id }
}

function notADraft({ state }: Pick<StoredCampaign, 'state'>): CodedError {
  const message = `Only a draft can be changed or deleted; this campaign is ${state}.`
  return new CodedError('conflict', { message })
}
