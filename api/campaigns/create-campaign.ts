import type { NewCampaign } from '#schemas/rest/email/campaign.ts'
import type { CampaignDetail } from '#schemas/rest/email/campaign-admin.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { requireNewsletter } from '../newsletters/require-newsletter.ts'
import { campaignDetail } from './campaign-reply.ts'
import { checkComposable, createDraft } from './create-draft.ts'
import { requireCampaign } from './require-campaign.ts'

/**
 * Creates a draft. Throws `newsletter_not_found`, `archive_slug_taken`, or why the email cannot be
 * composed.
 */
export async function createCampaign(
  ctx: Pick<ApiContext, 'pg' | 'clock' | 'composer' | 'apiUrl'>,
  actor: Actor,
  { newsletter: slug, ...source }: NewCampaign,
): Promise<CampaignDetail> {
  const { organizationId } = actor
  const newsletter = await requireNewsletter(ctx, { organizationId, slug })
  await checkComposable(ctx, organizationId, source)
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    const { id } = await createDraft(pg, { newsletter, source, createdBy: actor.name, now })
    await addAudit(pg, actor, {
      action: 'campaign.created',
      subjectType: 'campaign',
      subjectId: id,
    })
    return campaignDetail(await requireCampaign(pg, { organizationId, campaignId: id }), ctx.apiUrl)
  })
}
