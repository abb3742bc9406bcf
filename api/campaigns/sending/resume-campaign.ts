import { CodedError } from '#schemas/error-codes.ts'
import type { Sending } from '#schemas/rest/email/sending.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { judgeFromAddress } from '../../sending-domains/from-address.ts'
import { requireCampaign } from '../require-campaign.ts'
import { findFrozenFrom, resumeSending } from './delivery-store.ts'
import { sendingOf } from './get-sending.ts'
import { sendingConflict } from './sending-conflict.ts'

/**
 * Throws `conflict` while the From address is not allowed, because the mail process would pause the
 * campaign again at once.
 */
export async function resumeCampaign(
  ctx: Pick<ApiContext, 'pg' | 'allowUnverifiedFrom'>,
  actor: Actor,
  { campaignId }: { readonly campaignId: string },
): Promise<Sending> {
  const { organizationId } = actor
  const campaign = await requireCampaign(ctx.pg, { organizationId, campaignId })
  const address = await findFrozenFrom(ctx.pg, campaign.id)
  if (address !== undefined) {
    const verdict = await judgeFromAddress(ctx, { organizationId, address })
    if (verdict.kind === 'refused') {
      const message = `The campaign cannot be resumed: ${verdict.sentence}`
      throw new CodedError('conflict', { message })
    }
  }
  return ctx.pg.transaction(async (pg) => {
    if (!(await resumeSending(pg, campaign.id))) throw sendingConflict('resumed', campaign)
    await addAudit(pg, actor, {
      action: 'campaign.resumed',
      subjectType: 'campaign',
      subjectId: campaign.id,
    })
    return sendingOf(pg, campaign.id)
  })
}
