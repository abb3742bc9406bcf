import type { CampaignChange, CampaignDetail } from '#schemas/rest/email/campaign-admin.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { campaignDetail } from './campaign-reply.ts'
import { changeDraft } from './campaign-store.ts'
import { checkComposable, slugTaken } from './create-draft.ts'
import { editOf } from './edit-draft.ts'
import { notADraft } from './not-a-draft.ts'
import { requireCampaign } from './require-campaign.ts'

/** Throws `conflict` unless the campaign is a draft, because a frozen campaign must not change. */
export async function updateCampaign(
  ctx: Pick<ApiContext, 'pg' | 'clock' | 'composer' | 'apiUrl'>,
  actor: Actor,
  { campaignId, change }: { readonly campaignId: string; readonly change: CampaignChange },
): Promise<CampaignDetail> {
  const { organizationId } = actor
  const campaign = await requireCampaign(ctx.pg, { organizationId, campaignId })
  const edit = editOf(campaign, change)
  await checkComposable(ctx, organizationId, edit)
  const { id, newsletter } = campaign
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    const result = await changeDraft(pg, { id, newsletterId: newsletter.id, edit, now })
    if (result === 'slug_taken') throw slugTaken()
    if (result === 'not_a_draft') throw notADraft(campaign)
    await addAudit(pg, actor, {
      action: 'campaign.changed',
      subjectType: 'campaign',
      subjectId: id,
      details: { fields: Object.keys(change) },
    })
    return campaignDetail(await requireCampaign(pg, { organizationId, campaignId: id }), ctx.apiUrl)
  })
}
