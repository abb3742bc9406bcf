import type { Sending } from '#schemas/rest/email/sending.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { requireCampaign } from '../require-campaign.ts'
import { pauseSending } from './delivery-store.ts'
import { sendingOf } from './get-sending.ts'
import { sendingConflict } from './sending-conflict.ts'

/** Mail processes stop within a second; emails that were claimed before are still sent. */
export async function pauseCampaign(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { campaignId }: { readonly campaignId: string },
): Promise<Sending> {
  const { organizationId } = actor
  const campaign = await requireCampaign(ctx.pg, { organizationId, campaignId })
  return ctx.pg.transaction(async (pg) => {
    if (!(await pauseSending(pg, campaign.id))) throw sendingConflict('paused', campaign)
    await addAudit(pg, actor, {
      action: 'campaign.paused',
      subjectType: 'campaign',
      subjectId: campaign.id,
    })
    return sendingOf(pg, campaign.id)
  })
}
