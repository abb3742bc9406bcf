import type { z } from 'zod'
import type { PreviewReply, PreviewRequest } from '#schemas/rest/email/campaign-admin.ts'
import type { Actor } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { found, requireUuid } from '../../http/route.ts'
import { findPreviewContact } from '../campaign-store.ts'
import { editOf } from '../edit-draft.ts'
import { frameOf } from '../freeze-campaign.ts'
import { requireCampaign } from '../require-campaign.ts'
import { previewEmail } from './preview-email.ts'

type Preview = z.infer<typeof PreviewRequest> & {
  readonly campaignId: string
  /** False: links lead to their targets, and no image counts an open. */
  readonly tracked?: boolean
}

/** Composes the email for one contact, stored or made up; nothing is stored and nothing is sent. */
export async function previewCampaign(
  ctx: Pick<ApiContext, 'pg' | 'composer' | 'apiUrl'>,
  actor: Actor,
  { campaignId, contactId, name, attribs, draft, tracked = true }: Preview,
): Promise<z.infer<typeof PreviewReply>> {
  const { organizationId } = actor
  const stored = await requireCampaign(ctx.pg, { organizationId, campaignId })
  const campaign = draft ? { ...stored, ...editOf(stored, draft) } : stored
  const sent = frameOf(campaign, ctx.apiUrl)
  const frame = tracked ? sent : { ...sent, tracking: { opens: false, clicks: false } }
  const { email, warnings } = await ctx.composer.email(organizationId, campaign, frame)
  const newsletterId = stored.newsletter.id
  const contact = contactId
    ? found(await findPreviewContact(ctx.pg, { id: requireUuid(contactId), newsletterId }))
    : { name, attribs }
  return { ...previewEmail(email, contact, ctx.apiUrl), warnings }
}
