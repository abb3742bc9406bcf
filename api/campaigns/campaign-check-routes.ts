/** What people look at before a campaign goes out, and after: preview, test letter, the checks, opens and clicks. */
import {
  Preflight,
  PreviewReply,
  PreviewRequest,
  TestReply,
  TestRequest,
  TrackingReport,
} from '#schemas/rest/email/campaign-admin.ts'
import { emailBodyBytesMax } from '#schemas/rest/email/email-source.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, replies, requireUuid } from '../http/route.ts'
import { judgeFromAddress } from '../sending-domains/from-address.ts'
import { readTracking } from '../tracking/tracking-store.ts'
import { CampaignPath } from './campaign-admin-routes.ts'
import {
  countAudience,
  countMissing,
  findCampaign,
  findDomainCheck,
  findPreviewContact,
  type StoredCampaign,
} from './campaign-store.ts'
import { editOf } from './edit-draft.ts'
import { frameOf } from './freeze-campaign.ts'
import { planPreflight } from './plan-preflight.ts'
import { previewEmail, valuesWithoutFallback } from './preview-email.ts'
import { sendTestEmail } from './send-test-email.ts'

const tags = ['Email administration']

export function registerCampaignChecks(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/campaigns/:campaign_id/preview',
    bodyLimit: emailBodyBytesMax,
    config: { role: 'viewer' },
    schema: {
      tags,
      summary: 'The letter as one reader would get it',
      params: CampaignPath,
      body: PreviewRequest.nullish(),
      response: { ...replies(PreviewReply), 413: Problem },
    },
    handler: async (request) => {
      const stored = await requireCampaign(request, request.params.campaign_id)
      const { contactId, name, attribs, draft } = request.body ?? {}
      const campaign = draft ? { ...stored, ...editOf(stored, draft) } : stored
      const { organizationId } = stored.newsletter
      const frame = frameOf(campaign, ctx.apiUrl)
      const { email, warnings } = await ctx.composer.email(organizationId, campaign, frame)
      const contact = contactId
        ? found(
            await findPreviewContact(ctx.pg, {
              id: requireUuid(contactId),
              newsletterId: stored.newsletter.id,
            }),
          )
        : { name, attribs }
      return { ...previewEmail(email, contact, ctx.apiUrl), warnings }
    },
  })

  app.route({
    method: 'GET',
    url: '/campaigns/:campaign_id/preflight',
    schema: {
      tags,
      summary: 'What to know before sending',
      params: CampaignPath,
      response: replies(Preflight),
    },
    handler: async (request) => {
      const campaign = await requireCampaign(request, request.params.campaign_id)
      return await preflight(campaign, ctx)
    },
  })

  app.route({
    method: 'POST',
    url: '/campaigns/:campaign_id/test',
    schema: {
      tags,
      summary: 'Send the letter to yourself',
      params: CampaignPath,
      body: TestRequest.nullish(),
      response: { ...replies(TestReply), 409: Problem },
    },
    handler: async (request) => {
      const campaign = await requireCampaign(request, request.params.campaign_id)
      const { to, ...contact } = request.body ?? {}
      const actor = actorOf(request)
      const email = { campaign, contact, to: to ?? personOf(request).email }
      return await sendTestEmail(email, actor, ctx)
    },
  })

  app.route({
    method: 'GET',
    url: '/campaigns/:campaign_id/tracking',
    schema: {
      tags,
      summary: 'Opens and clicks',
      params: CampaignPath,
      response: replies(TrackingReport),
    },
    handler: async (request) => {
      const { id } = await requireCampaign(request, request.params.campaign_id)
      return await readTracking(ctx.pg, id)
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

/** Also for the command line, which asks the same before it sends. */
export async function preflight(
  campaign: StoredCampaign,
  ctx: Pick<ApiContext, 'pg' | 'apiUrl' | 'composer' | 'allowUnverifiedFrom'>,
): Promise<Preflight> {
  const { newsletter } = campaign
  const { organizationId } = newsletter
  const frame = frameOf(campaign, ctx.apiUrl)
  const inspected = await ctx.composer.inspection(organizationId, campaign, frame)
  const domain = newsletter.fromAddress.slice(newsletter.fromAddress.lastIndexOf('@') + 1)
  const wanted = {
    newsletterId: newsletter.id,
    values: valuesWithoutFallback(inspected.composed.email),
  }
  const address = newsletter.fromAddress
  const [audience, missing, check, from] = await Promise.all([
    countAudience(ctx.pg, newsletter.id),
    countMissing(ctx.pg, wanted),
    findDomainCheck(ctx.pg, { organizationId, domain }),
    judgeFromAddress(ctx, { organizationId, address }),
  ])
  return planPreflight({
    ...inspected,
    audience,
    missing,
    domain: { name: domain, check },
    from,
    postalAddress: newsletter.postalAddress,
  })
}
