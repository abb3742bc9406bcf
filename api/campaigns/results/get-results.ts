import type { CampaignResults } from '#schemas/rest/email/campaign-admin.ts'
import type { Actor } from '../../audit/audit-store.ts'
import { readBounceSteps } from '../../bounces/email-bounce-store.ts'
import type { ApiContext } from '../../context.ts'
import { found } from '../../http/route.ts'
import { readTracking } from '../../tracking/tracking-store.ts'
import { requireCampaign } from '../require-campaign.ts'
import { fillSeries, planSeries } from './plan-series.ts'
import { readHitSteps, readResults, readUnsubscribeSteps } from './results-store.ts'

/** Reads what a campaign has achieved. Everything is 0 before its sending has begun. */
export async function getResults(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  { organizationId }: Pick<Actor, 'organizationId'>,
  { campaignId }: { readonly campaignId: string },
): Promise<CampaignResults> {
  const { id } = await requireCampaign(ctx.pg, { organizationId, campaignId })
  const stored = found(await readResults(ctx.pg, id))
  const plan = planSeries(stored.sentAt, new Date(ctx.clock.nowMs()))
  const span = plan === undefined ? undefined : { campaignId: id, ...plan }
  const [tracking, hits, left, bounced] = await Promise.all([
    readTracking(ctx.pg, id),
    span === undefined ? [] : readHitSteps(ctx.pg, span),
    span === undefined ? [] : readUnsubscribeSteps(ctx.pg, span),
    span === undefined ? [] : readBounceSteps(ctx.pg, { organizationId, ...span }),
  ])
  const { opens, clicks, links } = tracking
  const people = { opened: stored.peopleOpened, clicked: stored.peopleClicked }
  return {
    tracks: {
      opens: stored.tracksOpens,
      clicks: stored.tracksClicks,
      contacts: stored.tracksContacts,
    },
    opens,
    clicks,
    unsubscribes: left.reduce((sum, { unsubscribes }) => sum + unsubscribes, 0),
    people: stored.tracksContacts ? people : null,
    links,
    step: plan?.step ?? 'hour',
    series: plan === undefined ? [] : fillSeries(plan, [...hits, ...left, ...bounced]),
    hitsExpired: stored.storedOpens < opens.human || stored.storedClicks < clicks.human,
  }
}
