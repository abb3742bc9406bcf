import type { Sending } from '#schemas/rest/email/sending.ts'
import type { Actor } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import type { Database } from '../../database.ts'
import { found } from '../../http/route.ts'
import { requireCampaign } from '../require-campaign.ts'
import { readSending } from './delivery-store.ts'
import { sendingView } from './sending-view.ts'

/** Reads the state and the progress of a campaign. */
export async function getSending(
  ctx: Pick<ApiContext, 'pg'>,
  { organizationId }: Pick<Actor, 'organizationId'>,
  { campaignId }: { readonly campaignId: string },
): Promise<Sending> {
  const { id } = await requireCampaign(ctx.pg, { organizationId, campaignId })
  return sendingOf(ctx.pg, id)
}

/** For actions that have checked the organization of the campaign already. */
export async function sendingOf(pg: Database, id: string): Promise<Sending> {
  return sendingView(found(await readSending(pg, id)))
}
