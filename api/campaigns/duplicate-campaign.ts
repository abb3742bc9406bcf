import type { CampaignDetail } from '#schemas/rest/email/campaign-admin.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { campaignDetail } from './campaign-reply.ts'
import { checkComposable, createDraft } from './create-draft.ts'
import { requireCampaign } from './require-campaign.ts'

/**
 * Creates a draft with the subject and the text of a campaign in any state; its archive slug is a
 * new one.
 */
export async function duplicateCampaign(
  ctx: Pick<ApiContext, 'pg' | 'clock' | 'composer' | 'apiUrl'>,
  actor: Actor,
  { campaignId }: { readonly campaignId: string },
): Promise<CampaignDetail> {
  const { organizationId } = actor
  const original = await requireCampaign(ctx.pg, { organizationId, campaignId })
  const { newsletter, archiveSlug: _slug, ...source } = original
  await checkComposable(ctx, organizationId, source)
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    const { id } = await createDraft(pg, { newsletter, source, createdBy: actor.name, now })
    await addAudit(pg, actor, {
      action: 'campaign.created',
      subjectType: 'campaign',
      subjectId: id,
      details: { of: original.id },
    })
    return campaignDetail(await requireCampaign(pg, { organizationId, campaignId: id }), ctx.apiUrl)
  })
}
