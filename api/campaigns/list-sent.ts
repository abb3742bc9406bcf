import type { z } from 'zod'
import type { SentCampaignList, SentCampaignQuery } from '#schemas/rest/email/campaign.ts'
import type { ApiContext } from '../context.ts'
import { requireNewsletter } from '../newsletters/require-newsletter.ts'
import { urlField } from './archive-url.ts'
import { listSentCampaigns } from './campaign-store.ts'

/**
 * `GET /campaigns` of the email API: campaigns of one newsletter whose sending began, newest first.
 */
export async function listSent(
  ctx: Pick<ApiContext, 'pg' | 'apiUrl'>,
  { organizationId }: { readonly organizationId: string },
  { newsletter: slug, limit, offset }: z.infer<typeof SentCampaignQuery>,
): Promise<z.infer<typeof SentCampaignList>> {
  const newsletter = await requireNewsletter(ctx, { organizationId, slug })
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
}
