/**
 * Routes that check a campaign before it is sent (preview, test email, preflight checks) and report
 * on it afterwards (opens and clicks).
 */
import {
  CampaignResults,
  Preflight,
  PreviewDocumentQuery,
  PreviewReply,
  PreviewRequest,
  TestReply,
  TestRequest,
  TrackingReport,
} from '#schemas/rest/email/campaign-admin.ts'
import { emailBodyBytesMax } from '#schemas/rest/email/email-source.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, personOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { type ApiInstance, fileReplies, replies } from '../../http/route.ts'
import { readTracking } from '../../tracking/tracking-store.ts'
import { CampaignPath } from '../campaign-admin-routes.ts'
import { requireCampaign } from '../require-campaign.ts'
import { getResults } from '../results/get-results.ts'
import { preflightCampaign } from './preflight-campaign.ts'
import { previewCampaign } from './preview-campaign.ts'
import { previewDocument } from './preview-document.ts'
import { sendTestEmail } from './send-test-email.ts'

const tags = ['campaigns']

export function registerCampaignChecks(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/campaigns/:campaign_id/preview',
    bodyLimit: emailBodyBytesMax,
    config: { role: 'viewer' },
    schema: {
      tags,
      operationId: 'previewCampaign',
      summary: 'Preview a campaign',
      description:
        'Returns the email as one contact would get it. Nothing is stored or sent, and its personal links do not work.',
      params: CampaignPath,
      body: PreviewRequest.nullish(),
      response: { ...replies(PreviewReply), 413: Problem },
    },
    handler: (request) => {
      const campaignId = request.params.campaign_id
      return previewCampaign(ctx, actorOf(request), { ...request.body, campaignId })
    },
  })

  app.route({
    method: 'GET',
    url: '/campaigns/:campaign_id/preview.html',
    schema: {
      tags,
      operationId: 'showCampaignPreview',
      summary: 'Show the preview of a campaign as a document',
      description:
        'For a frame of the dashboard: the stored email with a content security policy of its own, which allows no script.',
      params: CampaignPath,
      querystring: PreviewDocumentQuery,
      response: fileReplies('html'),
    },
    handler: async (request, reply) => {
      const campaignId = request.params.campaign_id
      const asked = { ...request.query, campaignId }
      const { html, policy } = await previewDocument(ctx, actorOf(request), asked)
      reply.header('content-security-policy', policy)
      reply.header('x-frame-options', 'SAMEORIGIN')
      reply.header('content-type', 'text/html; charset=utf-8')
      return reply.send(html as never)
    },
  })

  app.route({
    method: 'GET',
    url: '/campaigns/:campaign_id/preflight',
    schema: {
      tags,
      operationId: 'preflightCampaign',
      summary: 'Run the preflight checks of a campaign',
      description:
        'Checks the audience, links, size, footer and sender domain. A check with the level `error` stops sending unless `force` is true.',
      params: CampaignPath,
      response: replies(Preflight),
    },
    handler: (request) =>
      preflightCampaign(ctx, actorOf(request), { campaignId: request.params.campaign_id }),
  })

  app.route({
    method: 'POST',
    url: '/campaigns/:campaign_id/test',
    schema: {
      tags,
      operationId: 'sendTestEmail',
      summary: 'Send a test email',
      description: 'At most 60 per hour for each organization. Test emails are not tracked.',
      params: CampaignPath,
      body: TestRequest.nullish(),
      response: { ...replies(TestReply), 409: Problem },
    },
    handler: (request) => {
      const campaignId = request.params.campaign_id
      const to = request.body?.to ?? personOf(request).email
      return sendTestEmail(ctx, actorOf(request), { ...request.body, campaignId, to })
    },
  })

  app.route({
    method: 'GET',
    url: '/campaigns/:campaign_id/tracking',
    schema: {
      tags,
      operationId: 'getCampaignTracking',
      summary: 'Get the opens and clicks of a campaign',
      params: CampaignPath,
      response: replies(TrackingReport),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const campaignId = request.params.campaign_id
      const { id } = await requireCampaign(ctx.pg, { organizationId, campaignId })
      return await readTracking(ctx.pg, id)
    },
  })
  app.route({
    method: 'GET',
    url: '/campaigns/:campaign_id/results',
    schema: {
      tags,
      operationId: 'getCampaignResults',
      summary: 'Get the results of a campaign',
      description: 'Opens, clicks and unsubscribes over time, the links, and what is not tracked.',
      params: CampaignPath,
      response: replies(CampaignResults),
    },
    handler: (request) =>
      getResults(ctx, personOf(request), { campaignId: request.params.campaign_id }),
  })
}
