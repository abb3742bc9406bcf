import type { CampaignNewsletter } from './campaign-store.ts'

/**
 * The URL of the archive page of a campaign, which exists once its sending has begun. Undefined if
 * the archive is off.
 */
export function archiveUrl(
  campaign: {
    readonly newsletter: Pick<CampaignNewsletter, 'archivePath' | 'archiveEnabled'>
    readonly archiveSlug: string
  },
  apiUrl: string,
): string | undefined {
  const { archivePath, archiveEnabled } = campaign.newsletter
  return archiveEnabled ? `${apiUrl}/archive/${archivePath}/${campaign.archiveSlug}` : undefined
}

/** To be spread into a reply, which has no field `url` when the archive is off. */
export function urlField(
  campaign: Parameters<typeof archiveUrl>[0],
  apiUrl: string,
): { url: string } | Record<string, never> {
  const url = archiveUrl(campaign, apiUrl)
  return url === undefined ? {} : { url }
}
