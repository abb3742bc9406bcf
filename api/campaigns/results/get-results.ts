import type { CampaignResults } from '#schemas/rest/email/campaign-admin.ts'
import type { Actor } from '../../audit/audit-store.ts'
import { readBounceSteps } from '../../bounces/email-bounce-store.ts'
import type { ApiContext } from '../../context.ts'
import type { Database } from '../../database.ts'
import { found } from '../../http/route.ts'
import { readTracking } from '../../tracking/tracking-store.ts'
import { requireCampaign } from '../require-campaign.ts'
import { fillSeries, planSeries, type SeriesPlan, stepOf } from './plan-series.ts'
import {
  readHitSteps,
  readResults,
  readSentSteps,
  readUnsubscribeSteps,
  type StoredResults,
} from './results-store.ts'

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
  const [tracking, sent, hits, left, bounced] = await Promise.all([
    readTracking(ctx.pg, id),
    span === undefined ? [] : sentSteps(ctx.pg, span, stored),
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
    series: plan === undefined ? [] : fillSeries(plan, [...sent, ...hits, ...left, ...bounced]),
    hitsExpired: stored.storedOpens < opens.human || stored.storedClicks < clicks.human,
  }
}

/** Most campaigns are sent within one step, and their deliveries need not be read. */
async function sentSteps(
  pg: Database,
  span: SeriesPlan & { readonly campaignId: string },
  { sentAt, finishedAt, sentCount }: StoredResults,
): Promise<{ step: number; sent: number }[]> {
  if (sentCount === 0 || sentAt === null) return []
  const step = stepOf(span, sentAt)
  const isOneStep = finishedAt === null ? span.points === 1 : stepOf(span, finishedAt) === step
  if (isOneStep) return [{ step, sent: sentCount }]
  return readSentSteps(pg, span)
}
