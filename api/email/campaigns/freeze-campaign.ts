/**
 * The moment a campaign stops being a draft: its letter is composed with the newsletter's layout, sender and tracking as they are now,
 * and stored with its links. Call it in the transaction that starts or schedules the campaign; calling it again composes it anew.
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { FrozenCampaign } from '#schemas/mail/frozen-campaign.ts'
import { findCampaign, type StoredCampaign, storeFrozen } from '../../io/campaign-store.ts'
import type { Database } from '../../io/database.ts'
import type { CampaignFrame } from '../compose/campaign-frame.ts'
import { composeLetter } from '../compose/compose-letter.ts'
import { archiveUrl } from './archive-url.ts'

export async function freezeCampaign(
  pg: Database,
  campaign: { readonly id: string; readonly organizationId: string },
  ctx: { readonly apiUrl: string },
): Promise<{ compiled: FrozenCampaign; links: string[] }> {
  const stored = await findCampaign(pg, campaign)
  if (stored === undefined) throw new CodedError('not_found')
  const { newsletter } = stored
  const { letter, links } = composeLetter(stored, frameOf(stored, ctx.apiUrl))
  const compiled: FrozenCampaign = {
    letter,
    fromName: newsletter.fromName ?? newsletter.name,
    fromAddress: newsletter.fromAddress,
    replyTo: newsletter.replyTo,
    newsletterSlug: newsletter.slug,
    newsletterName: newsletter.name,
    trackOpens: newsletter.trackOpens,
    trackClicks: newsletter.trackClicks,
  }
  await storeFrozen(pg, { id: stored.id, compiled, links })
  return { compiled, links }
}

export function frameOf(
  campaign: Pick<StoredCampaign, 'newsletter' | 'archiveSlug'>,
  apiUrl: string,
): CampaignFrame {
  const { newsletter } = campaign
  return {
    kind: 'campaign',
    newsletter,
    archiveUrl: archiveUrl(campaign, apiUrl),
    tracking: { opens: newsletter.trackOpens, clicks: newsletter.trackClicks },
  }
}
