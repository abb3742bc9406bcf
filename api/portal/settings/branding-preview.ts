/**
 * Unsaved branding in the URL of a preview of the portal's page. A member asks for the URL with a
 * POST; the signature keeps other sites from styling the page by a link of their own. Nothing is
 * stored: the URL expires.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { z } from 'zod'
import type { SecretBox } from '#platform/secret-box.ts'
import { Branding, type BrandingChange } from '#schemas/rest/portal/portal-config.ts'

const purpose = 'portal preview'
/** HTTP servers accept headers of 16 KiB; the rest is for cookies. */
export const previewCharactersMax = 7_000
const brandingBytesMax = 200_000
const shownMs = 15 * 60_000

const Preview = z.tuple([z.int(), Branding])

export interface BrandingPreview {
  readonly token: string
  readonly expiresMs: number
  /** The stylesheet is too long for a URL, so the preview is without it. */
  readonly omitsCss: boolean
}

export function makeBrandingPreview(
  box: SecretBox,
  portal: {
    readonly projectKey: string
    readonly saved: Readonly<Record<string, unknown>> | null
    readonly change: BrandingChange
    readonly nowMs: number
  },
): BrandingPreview {
  const branding = Branding.parse({ ...portal.saved, ...portal.change })
  const expiresMs = Math.floor(portal.nowMs) + shownMs
  const whole = signed(box, portal.projectKey, [expiresMs, branding])
  if (whole.length <= previewCharactersMax) return { token: whole, expiresMs, omitsCss: false }
  const token = signed(box, portal.projectKey, [expiresMs, { ...branding, custom_css: null }])
  return { token, expiresMs, omitsCss: true }
}

/** Undefined: expired, of another portal, or not signed by this installation. */
export function readBrandingPreview(
  box: SecretBox,
  sent: { readonly token: string; readonly projectKey: string; readonly nowMs: number },
): Branding | undefined {
  const [packed = '', mac = ''] = sent.token.split('.')
  const message = `${sent.projectKey} ${packed}`
  if (!box.isMac(purpose, message, Buffer.from(mac, 'base64url'))) return undefined
  const options = { maxOutputLength: brandingBytesMax }
  const text = inflateRawSync(Buffer.from(packed, 'base64url'), options).toString('utf8')
  const preview = Preview.safeParse(JSON.parse(text))
  if (!preview.success) return undefined
  const [expiresMs, branding] = preview.data
  return sent.nowMs < expiresMs ? branding : undefined
}

function signed(box: SecretBox, projectKey: string, preview: z.infer<typeof Preview>): string {
  const packed = deflateRawSync(JSON.stringify(preview)).toString('base64url')
  return `${packed}.${box.mac(purpose, `${projectKey} ${packed}`).toString('base64url')}`
}
