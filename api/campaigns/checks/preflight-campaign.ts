import { domainOfAddress } from '#schemas/mail/from-domain.ts'
import type { Preflight } from '#schemas/rest/email/campaign-admin.ts'
import type { Actor } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { judgeFromAddress } from '../../sending-domains/from-address.ts'
import {
  countAudience,
  countMissing,
  findDomainCheck,
  type StoredCampaign,
} from '../campaign-store.ts'
import { frameOf } from '../freeze-campaign.ts'
import { requireCampaign } from '../require-campaign.ts'
import { planPreflight } from './plan-preflight.ts'
import { valuesWithoutFallback } from './preview-email.ts'

type Context = Pick<ApiContext, 'pg' | 'apiUrl' | 'composer' | 'allowUnverifiedFrom'>

/**
 * Runs the checks before sending: audience, links, size, sender domain and footer.
 */
export async function preflightCampaign(
  ctx: Context,
  actor: Actor,
  { campaignId }: { readonly campaignId: string },
): Promise<Preflight> {
  const { organizationId } = actor
  return preflightStored(ctx, await requireCampaign(ctx.pg, { organizationId, campaignId }))
}

export async function preflightStored(ctx: Context, campaign: StoredCampaign): Promise<Preflight> {
  const { newsletter } = campaign
  const { organizationId, fromAddress: address } = newsletter
  const frame = frameOf(campaign, ctx.apiUrl)
  const inspected = await ctx.composer.inspection(organizationId, campaign, frame)
  const values = valuesWithoutFallback(inspected.composed.email)
  const domain = domainOfAddress(address)
  const [audience, missing, check, from] = await Promise.all([
    countAudience(ctx.pg, newsletter.id),
    countMissing(ctx.pg, { newsletterId: newsletter.id, values }),
    findDomainCheck(ctx.pg, { organizationId, domain }),
    judgeFromAddress(ctx, { organizationId, address }),
  ])
  return planPreflight({
    ...inspected,
    audience,
    missing,
    domain: { name: domain, check },
    from,
    postalAddress: newsletter.postalAddress,
  })
}
