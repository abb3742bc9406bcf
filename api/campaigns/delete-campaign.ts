import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { deleteDraft } from './campaign-store.ts'
import { notADraft } from './not-a-draft.ts'
import { requireCampaign } from './require-campaign.ts'

/** Throws `conflict` unless the campaign is a draft: the record of what was sent stays. */
export async function deleteCampaign(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { campaignId }: { readonly campaignId: string },
): Promise<void> {
  const { organizationId } = actor
  const campaign = await requireCampaign(ctx.pg, { organizationId, campaignId })
  const { id, subject } = campaign
  await ctx.pg.transaction(async (pg) => {
    if (!(await deleteDraft(pg, id))) throw notADraft(campaign)
    await addAudit(pg, actor, {
      action: 'campaign.deleted',
      subjectType: 'campaign',
      subjectId: id,
      details: { subject },
    })
  })
}
