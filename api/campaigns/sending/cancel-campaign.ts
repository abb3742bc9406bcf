import type { Sending } from '#schemas/rest/email/sending.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { requireCampaign } from '../require-campaign.ts'
import { cancelSending } from './delivery-store.ts'
import { sendingOf } from './get-sending.ts'
import { sendingConflict } from './sending-conflict.ts'

/** Stops sending permanently. A scheduled campaign becomes a draft again. */
export async function cancelCampaign(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { campaignId }: { readonly campaignId: string },
): Promise<Sending> {
  const { organizationId } = actor
  const campaign = await requireCampaign(ctx.pg, { organizationId, campaignId })
  return ctx.pg.transaction(async (pg) => {
    const result = await cancelSending(pg, campaign.id)
    if (result === 'no') throw sendingConflict('cancelled', campaign)
    await addAudit(pg, actor, {
      action: result === 'draft' ? 'campaign.unscheduled' : 'campaign.cancelled',
      subjectType: 'campaign',
      subjectId: campaign.id,
    })
    return sendingOf(pg, campaign.id)
  })
}
