/**
 * The preview of an email as an HTML document for a frame of the dashboard. Its policy allows inline
 * styles, which emails need, and neither scripts nor forms; images only where the person asks.
 */
import type { z } from 'zod'
import type { PreviewDocumentQuery } from '#schemas/rest/email/campaign-admin.ts'
import type { Actor } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { previewCampaign } from './preview-campaign.ts'

type Query = z.infer<typeof PreviewDocumentQuery>

export interface PreviewDocument {
  readonly html: string
  readonly policy: string
}

/** Of the stored draft. Links open in a new tab, because the frame shows nothing but the email. */
export async function previewDocument(
  ctx: Pick<ApiContext, 'pg' | 'composer' | 'apiUrl'>,
  actor: Actor,
  { campaignId, contact_id, scheme, images }: Query & { readonly campaignId: string },
): Promise<PreviewDocument> {
  const contact = contact_id === undefined ? {} : { contactId: contact_id }
  const { html } = await previewCampaign(ctx, actor, { campaignId, ...contact, tracked: false })
  const shown = images === 'load' ? html : withoutImages(html)
  return { html: withLinksOutside(asScheme(shown, scheme)), policy: previewPolicy(images) }
}

/**
 * `allow-same-origin` lets the dashboard keep the scroll position when it loads the frame again.
 * Without `allow-scripts` the document can do nothing with its origin.
 */
export function previewPolicy(images: Query['images']): string {
  const sources = images === 'load' ? 'https: http: data:' : 'data:'
  return `default-src 'none'; style-src 'unsafe-inline'; img-src ${sources}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox`
}

/**
 * What a mail client with this scheme shows, whatever scheme the browser has: media queries of the
 * scheme apply always, those of the other one never.
 */
export function asScheme(html: string, scheme: Query['scheme']): string {
  const styled = html.replace(
    /\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi,
    (_, named: string) => (named.toLowerCase() === scheme ? '(min-width: 0)' : '(max-width: 0)'),
  )
  return styled.replace(
    /<meta name="color-scheme" content="[^"]*">/,
    `<meta name="color-scheme" content="${scheme}">`,
  )
}

/** Their places show the alternative text. The policy blocks what this leaves, such as backgrounds. */
export function withoutImages(html: string): string {
  return html.replace(/<img\b[^>]*>/gi, (tag) =>
    tag.replace(/\s(?:src|srcset)="(?!data:)[^"]*"/gi, ''),
  )
}

/** The policy forbids `<base href>` and its sandbox keeps links from replacing the document. */
function withLinksOutside(html: string): string {
  return html.replace('<head>', '<head>\n<base target="_blank">')
}
