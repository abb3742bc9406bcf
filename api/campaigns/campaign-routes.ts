/** `POST /api/v1/campaigns` makes a draft, `GET` lists what was sent (email-api). Sending one is not a program's to do. */
import { CodedError } from '#schemas/error-codes.ts'
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
import { doOnce } from '../http/idempotency.ts'
import { IdempotencyHeaders } from '../http/idempotency-header.ts'
import { type ApiInstance, replies } from '../http/route.ts'
import { urlField } from './archive-url.ts'
import {
  type CampaignNewsletter,
  findCampaignNewsletter,
  listSentCampaigns,
} from './campaign-store.ts'
import { checkComposable, createDraft } from './create-draft.ts'

export function registerCampaigns(app: ApiInstance, ctx: ApiContext): void {
  const { 200: _list, ...problems } = replies(SentCampaignList)
  app.route({
    method: 'POST',
    url: '/campaigns',
    bodyLimit: emailBodyBytesMax,
    schema: {
      tags: ['Email'],
      summary: 'Make a draft',
      description:
        'It is sent by a person, in the dashboard or on the command line. With an `Idempotency-Key` a repeated request makes no second draft.',
      headers: IdempotencyHeaders,
      body: NewCampaign,
      response: { 201: CreatedCampaign, ...problems, 409: Problem, 413: Problem, 422: Problem },
    },
    handler: async (request, reply) => {
      const { newsletter: slug, ...source } = request.body
      const caller = apiKeyOf(request)
      const newsletter = await requireNewsletter(ctx, caller.organizationId, slug)
      await checkComposable(ctx, caller.organizationId, source)
      const now = new Date(ctx.clock.nowMs())
      const done = await doOnce(ctx, { request, reply, caller }, async (pg) => {
        const draft = await createDraft(pg, { newsletter, source, createdBy: 'api', now })
        const { id, archiveSlug } = draft
        return { id, archiveSlug, ...urlField({ newsletter, archiveSlug }, ctx.apiUrl) }
      })
      return reply.code(201).send(done.reply)
    },
  })

  app.route({
    method: 'GET',
    url: '/campaigns',
    schema: {
      tags: ['Email'],
      summary: 'List sent issues',
      description: 'Newest first, from the moment their sending began.',
      querystring: SentCampaignQuery,
      response: replies(SentCampaignList),
    },
    handler: async (request) => {
      const { newsletter: slug, limit, offset } = request.query
      const newsletter = await requireNewsletter(ctx, apiKeyOf(request).organizationId, slug)
      const page = { newsletterId: newsletter.id, limit, offset }
      const { campaigns, total } = await listSentCampaigns(ctx.pg, page)
      return {
        campaigns: campaigns.map((campaign) => ({
          ...campaign,
          sentAt: campaign.sentAt.toISOString(),
          ...urlField({ newsletter, archiveSlug: campaign.archiveSlug }, ctx.apiUrl),
        })),
        hasMore: offset + campaigns.length < total,
        total,
      }
    },
  })
}

/** Another organization's newsletter does not exist for this caller. */
export async function requireNewsletter(
  ctx: ApiContext,
  organizationId: string,
  slug: string,
): Promise<CampaignNewsletter> {
  // NUL cannot be stored, so no newsletter is called so.
  const found = slug.includes('\0')
    ? undefined
    : await findCampaignNewsletter(ctx.pg, { organizationId, slug })
  if (found === undefined) throw new CodedError('newsletter_not_found')
  return found
}
