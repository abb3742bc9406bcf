import type { z } from 'zod'
import type { ResendReply, ResendRequest } from '#schemas/rest/email/sending.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { requireCampaign } from '../require-campaign.ts'
import { requeueDeliveries } from './delivery-store.ts'
import { sendingConflict } from './sending-conflict.ts'

type Resend = z.infer<typeof ResendRequest> & { readonly campaignId: string }

const resendableStates: readonly string[] = ['sending', 'paused', 'sent']

/** Some recipients may get the email twice, so only a person decides this. */
export async function resendDeliveries(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { campaignId, state, contactIds = null }: Resend,
): Promise<z.infer<typeof ResendReply>> {
  const { organizationId } = actor
  const campaign = await requireCampaign(ctx.pg, { organizationId, campaignId })
  if (!resendableStates.includes(campaign.state)) throw sendingConflict('resent', campaign)
  return ctx.pg.transaction(async (pg) => {
    const requeued = await requeueDeliveries(pg, { id: campaign.id, state, contactIds })
    await addAudit(pg, actor, {
      action: 'campaign.resent',
      subjectType: 'campaign',
      subjectId: campaign.id,
      details: { state, requeued },
    })
    return { requeued }
  })
}
