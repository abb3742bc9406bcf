import type { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import type { Sending, SendRequest } from '#schemas/rest/email/sending.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import { requireFromAddress } from '../../sending-domains/from-address.ts'
import type { StoredCampaign } from '../campaign-store.ts'
import { preflightStored } from '../checks/preflight-campaign.ts'
import { freezeCampaign, prepareCampaign } from '../freeze-campaign.ts'
import { requireCampaign } from '../require-campaign.ts'
import { beginSending } from './delivery-store.ts'
import { sendingOf } from './get-sending.ts'
import { sendingConflict } from './sending-conflict.ts'

type SendCampaign = z.infer<typeof SendRequest> & { readonly campaignId: string }
type Context = Pick<ApiContext, 'pg' | 'clock' | 'apiUrl' | 'composer' | 'allowUnverifiedFrom'>

/** A later time is more likely a typing error than a plan. */
const aheadMsMax = 366 * 86_400_000

/** Sends a campaign now or at a given time. Its email is frozen now in both cases. */
export async function sendCampaign(
  ctx: Context,
  actor: Actor,
  { campaignId, ...request }: SendCampaign,
): Promise<Sending> {
  const { organizationId } = actor
  const campaign = await requireCampaign(ctx.pg, { organizationId, campaignId })
  const scheduledAt = parseScheduledAt(request.scheduledAt, ctx.clock.nowMs())
  const address = campaign.newsletter.fromAddress
  // `force` does not skip this check: it prevents sending in the name of another organization.
  await requireFromAddress(ctx, { organizationId, address }, 'newsletter')
  if (request.force !== true) await requireReady(ctx, campaign)
  const prepared = await prepareCampaign(campaign, ctx)
  const start = {
    id: campaign.id,
    scheduledAt,
    rateMax: request.ratePerSecond ?? null,
    warmUp: request.warmUp === true,
  }
  return ctx.pg.transaction(async (pg) => {
    if (!(await beginSending(pg, start))) throw sendingConflict('sent', campaign)
    await freezeCampaign(pg, { id: campaign.id, organizationId }, ctx, prepared)
    await addAudit(pg, actor, {
      action: scheduledAt === null ? 'campaign.sent' : 'campaign.scheduled',
      subjectType: 'campaign',
      subjectId: campaign.id,
      details: start,
    })
    return sendingOf(pg, campaign.id)
  })
}

/** Null to send now. */
function parseScheduledAt(text: string | null | undefined, nowMs: number): Date | null {
  if (text === undefined || text === null) return null
  const at = new Date(text)
  const aheadMs = at.getTime() - nowMs
  if (aheadMs <= 0) throw invalidField('scheduledAt', 'must be in the future')
  if (aheadMs > aheadMsMax) throw invalidField('scheduledAt', 'must be within a year')
  return at
}

async function requireReady(ctx: Context, campaign: StoredCampaign): Promise<void> {
  const { ready, checks } = await preflightStored(ctx, campaign)
  if (ready) return
  const errors = checks.filter(({ level }) => level === 'error')
  const message = `It should not be sent like this: ${errors.map(({ sentence }) => sentence).join(' ')}`
  throw new CodedError('conflict', { message })
}
