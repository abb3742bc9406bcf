import { CodedError } from '#schemas/error-codes.ts'
import type { CampaignChange, CampaignDetail } from '#schemas/rest/email/campaign-admin.ts'
import { type Actor, addAuditOnce } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { campaignDetail } from './campaign-reply.ts'
import { changeDraft } from './campaign-store.ts'
import { checkComposable, slugTaken } from './create-draft.ts'
import { editOf } from './edit-draft.ts'
import { notADraft } from './not-a-draft.ts'
import { requireCampaign } from './require-campaign.ts'

/** An editor that saves while the person types makes one entry of the log, not hundreds. */
const auditedEveryMs = 600_000

/** Throws `conflict` unless the campaign is a draft, because a frozen campaign must not change. */
export async function updateCampaign(
  ctx: Pick<ApiContext, 'pg' | 'clock' | 'composer' | 'apiUrl'>,
  actor: Actor,
  {
    campaignId,
    change: { ifUpdatedAt, ...change },
  }: { readonly campaignId: string; readonly change: CampaignChange },
): Promise<CampaignDetail> {
  const { organizationId } = actor
  const campaign = await requireCampaign(ctx.pg, { organizationId, campaignId })
  const edit = editOf(campaign, change)
  await checkComposable(ctx, organizationId, edit)
  const { id, newsletter } = campaign
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    const result = await changeDraft(pg, {
      id,
      newsletterId: newsletter.id,
      edit,
      ifUpdatedAt: ifUpdatedAt === undefined ? undefined : new Date(ifUpdatedAt),
      now,
    })
    if (result === 'changed_meanwhile') throw new CodedError('changed_meanwhile')
    if (result === 'slug_taken') throw slugTaken()
    if (result === 'not_a_draft') throw notADraft(campaign)
    const entry = {
      action: 'campaign.changed',
      subjectType: 'campaign',
      subjectId: id,
      details: { fields: Object.keys(change).sort() },
    } as const
    await addAuditOnce(pg, actor, entry, new Date(now.getTime() - auditedEveryMs))
    return campaignDetail(await requireCampaign(pg, { organizationId, campaignId: id }), ctx.apiUrl)
  })
}
