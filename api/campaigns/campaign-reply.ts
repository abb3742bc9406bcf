/** Converts a stored campaign to the replies of the API. */
import type { z } from 'zod'
import type { CampaignDetail, CampaignItem } from '#schemas/rest/email/campaign-admin.ts'
import { urlField } from './archive-url.ts'
import type { ListedCampaign, StoredCampaign } from './campaign-store.ts'

export function campaignItem(
  campaign: Omit<ListedCampaign, 'at'>,
  apiUrl: string,
): z.infer<typeof CampaignItem> {
  return {
    id: campaign.id,
    newsletter: campaign.newsletter.slug,
    state: campaign.state,
    subject: campaign.subject,
    previewText: campaign.previewText,
    archiveSlug: campaign.archiveSlug,
    ...urlField(campaign, apiUrl),
    createdBy: campaign.createdBy,
    createdAt: campaign.createdAt.toISOString(),
    updatedAt: campaign.updatedAt.toISOString(),
    scheduledAt: campaign.scheduledAt?.toISOString() ?? null,
    sentAt: campaign.sentAt?.toISOString() ?? null,
    finishedAt: campaign.finishedAt?.toISOString() ?? null,
    reason: campaign.reason,
    counts: campaign.counts,
  }
}

export function campaignDetail(campaign: StoredCampaign, apiUrl: string): CampaignDetail {
  const { html, markdown } = campaign
  return { ...campaignItem(campaign, apiUrl), html, markdown }
}
