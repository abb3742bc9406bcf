import type { Sending } from '#schemas/rest/email/sending.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { requireCampaign } from '../require-campaign.ts'
import { setSendingRate } from './delivery-store.ts'
import { sendingOf } from './get-sending.ts'

interface CampaignRate {
  readonly campaignId: string
  /** Emails per second; null for no limit of its own. */
  readonly ratePerSecond: number | null
}

/** Limits the rate of one campaign, in any state. */
export async function setCampaignRate(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { campaignId, ratePerSecond: rateMax }: CampaignRate,
): Promise<Sending> {
  const { organizationId } = actor
  const { id } = await requireCampaign(ctx.pg, { organizationId, campaignId })
  return ctx.pg.transaction(async (pg) => {
    await setSendingRate(pg, { id, rateMax })
    await addAudit(pg, actor, {
      action: 'campaign.rate_changed',
      subjectType: 'campaign',
      subjectId: id,
      details: { rateMax },
    })
    return sendingOf(pg, id)
  })
}
