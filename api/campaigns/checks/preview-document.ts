/**
 * The preview of an email as an HTML document for a frame of the dashboard. Its policy allows
 * inline styles, which emails need, and neither scripts nor forms; images only where the person
 * asks.
 */
import type { z } from 'zod'
import type { PreviewDocumentQuery } from '#schemas/rest/email/campaign-admin.ts'
import type { Actor } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { previewCampaign } from './preview-campaign.ts'
import { asScheme, previewPolicy, withLinksOutside, withoutImages } from './preview-look.ts'

type Query = z.infer<typeof PreviewDocumentQuery>

export interface PreviewDocument {
  readonly html: string
  readonly policy: string
}

/** Of the stored draft. Links open in a new tab, because the frame shows nothing but the email. */
export async function previewDocument(
  ctx: Pick<ApiContext, 'pg' | 'composer' | 'apiUrl'>,
  actor: Actor,
  { campaignId, contactId, scheme, images }: Query & { readonly campaignId: string },
): Promise<PreviewDocument> {
  const contact = contactId === undefined ? {} : { contactId }
  const { html } = await previewCampaign(ctx, actor, { campaignId, ...contact, tracked: false })
  const shown = images === 'load' ? html : withoutImages(html)
  return { html: withLinksOutside(asScheme(shown, scheme)), policy: previewPolicy(images) }
}
