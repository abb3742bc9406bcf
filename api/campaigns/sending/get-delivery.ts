import type { DeliveryDetail } from '#schemas/rest/email/sending.ts'
import type { Actor } from '../../audit/audit-store.ts'
import { listBouncesOfEmail } from '../../bounces/email-bounce-store.ts'
import type { ApiContext } from '../../context.ts'
import { found, requireUuid } from '../../http/route.ts'
import { attemptViews } from '../../sends/attempt-view.ts'
import { requireCampaign } from '../require-campaign.ts'
import { findDelivery } from './delivery-store.ts'
import { deliveryView } from './sending-view.ts'

/** Reads a delivery with its attempts and the reports about it, or throws `not_found`. */
export async function getDelivery(
  ctx: Pick<ApiContext, 'pg'>,
  { organizationId }: Pick<Actor, 'organizationId'>,
  asked: { readonly campaignId: string; readonly contactId: string },
): Promise<DeliveryDetail> {
  const contactId = requireUuid(asked.contactId)
  const { id: campaignId } = await requireCampaign(ctx.pg, { ...asked, organizationId })
  const stored = found(await findDelivery(ctx.pg, { campaignId, contactId }))
  const { notBefore, attemptLog, ...delivery } = stored
  const ref = { kind: 'delivery', campaignId, contactId } as const
  const next = stored.state === 'queued' ? notBefore : null
  return {
    ...deliveryView(delivery),
    nextAttemptAt: next?.toISOString() ?? null,
    attemptLog: attemptViews(attemptLog),
    bounces: await listBouncesOfEmail(ctx.pg, { organizationId, ref }),
  }
}
