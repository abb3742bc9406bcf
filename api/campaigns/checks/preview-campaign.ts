import type { z } from 'zod'
import type { PreviewReply, PreviewRequest } from '#schemas/rest/email/campaign-admin.ts'
import type { Actor } from '../../audit/audit-store.ts'
import type { ComposedEmail } from '../../compose/compose-email.ts'
import type { ApiContext } from '../../context.ts'
import { found, requireUuid } from '../../http/route.ts'
import { findFrozenEmail, findPreviewContact, type StoredCampaign } from '../campaign-store.ts'
import { editOf } from '../edit-draft.ts'
import { frameOf } from '../freeze-campaign.ts'
import { requireCampaign } from '../require-campaign.ts'
import { previewEmail } from './preview-email.ts'
import { withoutTracking } from './without-tracking.ts'

type Preview = z.infer<typeof PreviewRequest> & {
  readonly campaignId: string
  /** False: links lead to their targets, and no image counts an open. */
  readonly tracked?: boolean
}

/**
 * Composes the email for one contact, stored or made up; nothing is stored and nothing is sent. A
 * campaign that is no draft shows the email that it was frozen with, not its newsletter of today.
 */
export async function previewCampaign(
  ctx: Pick<ApiContext, 'pg' | 'composer' | 'apiUrl'>,
  actor: Actor,
  { campaignId, contactId, name, attribs, draft, tracked = true }: Preview,
): Promise<z.infer<typeof PreviewReply>> {
  const { organizationId } = actor
  const stored = await requireCampaign(ctx.pg, { organizationId, campaignId })
  const { email, warnings } =
    (draft === undefined || draft === null) && stored.state !== 'draft'
      ? await frozenEmail(ctx, stored, tracked)
      : await composedEmail(ctx, draft ? { ...stored, ...editOf(stored, draft) } : stored, tracked)
  const newsletterId = stored.newsletter.id
  const contact = contactId
    ? found(await findPreviewContact(ctx.pg, { id: requireUuid(contactId), newsletterId }))
    : { name, attribs }
  return { ...previewEmail(email, contact, ctx.apiUrl), warnings }
}

async function composedEmail(
  ctx: Pick<ApiContext, 'composer' | 'apiUrl'>,
  campaign: StoredCampaign,
  tracked: boolean,
): Promise<Pick<ComposedEmail, 'email' | 'warnings'>> {
  const sent = frameOf(campaign, ctx.apiUrl)
  const frame = tracked ? sent : { ...sent, tracking: { opens: false, clicks: false } }
  return ctx.composer.email(campaign.newsletter.organizationId, campaign, frame)
}

async function frozenEmail(
  ctx: Pick<ApiContext, 'pg' | 'composer' | 'apiUrl'>,
  campaign: StoredCampaign,
  tracked: boolean,
): Promise<Pick<ComposedEmail, 'email' | 'warnings'>> {
  const frozen = await findFrozenEmail(ctx.pg, campaign.id)
  if (frozen === undefined) return composedEmail(ctx, campaign, tracked)
  const { email, links } = frozen
  return { email: tracked ? email : withoutTracking(email, links), warnings: [] }
}
