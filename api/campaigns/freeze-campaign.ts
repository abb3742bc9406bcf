/**
 * Freezes a campaign: its email is composed with the newsletter's current layout, sender and
 * tracking, and stored with its links. Call it in the transaction that starts or schedules the
 * campaign. Calling it again composes the email again.
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { FrozenCampaign } from '#schemas/mail/frozen-campaign.ts'
import type { CampaignFrame } from '../compose/campaign-frame.ts'
import type { ComposedEmail } from '../compose/compose-email.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { archiveUrl } from './archive-url.ts'
import { findCampaign, type StoredCampaign, storeFrozen } from './campaign-store.ts'

export async function freezeCampaign(
  pg: Database,
  campaign: { readonly id: string; readonly organizationId: string },
  ctx: Pick<ApiContext, 'apiUrl' | 'composer'>,
  prepared?: PreparedCampaign,
): Promise<{ compiled: FrozenCampaign; links: string[] }> {
  const stored = await findCampaign(pg, campaign)
  if (stored === undefined) throw new CodedError('not_found')
  const { newsletter } = stored
  const isPrepared = prepared !== undefined && prepared.input === inputOf(stored, ctx.apiUrl)
  const { composed } = isPrepared ? prepared : await prepareCampaign(stored, ctx)
  const { email, links } = composed
  const compiled: FrozenCampaign = {
    email,
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

export interface PreparedCampaign {
  readonly composed: ComposedEmail
  /** Everything that the email was composed from, to find out whether it has changed. */
  readonly input: string
}

/**
 * Composes before the transaction, so that the transaction does not wait for a thread. The result
 * is used unless its input has changed.
 */
export async function prepareCampaign(
  campaign: StoredCampaign,
  ctx: Pick<ApiContext, 'apiUrl' | 'composer'>,
): Promise<PreparedCampaign> {
  const { organizationId } = campaign.newsletter
  const frame = frameOf(campaign, ctx.apiUrl)
  const composed = await ctx.composer.email(organizationId, campaign, frame)
  return { composed, input: inputOf(campaign, ctx.apiUrl) }
}

function inputOf(campaign: StoredCampaign, apiUrl: string): string {
  const { subject, previewText, html, markdown } = campaign
  return JSON.stringify([subject, previewText, html, markdown, frameOf(campaign, apiUrl)])
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
