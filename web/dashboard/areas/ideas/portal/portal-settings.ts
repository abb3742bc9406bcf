import { invalidateReads } from '../../../http/query-client.ts'
import { type Body, type Reply, request } from '../../../http/request.ts'

export const portalSettings = 'GET /api/v1/admin/portal/{project_id}/settings' as const
export type PortalSettings = Reply<typeof portalSettings>
export type Branding = NonNullable<PortalSettings['branding']>
export type SettingsChange = Body<'PATCH /api/v1/admin/portal/{project_id}/settings'>

export interface PortalTabProps {
  readonly projectId: string
  readonly settings: PortalSettings
}

/** What the portal looks like without branding. */
export const plainBranding: Branding = {
  title: null,
  description: null,
  logo_url: null,
  favicon_url: null,
  primary_color: null,
  accent_color: null,
  theme: 'auto',
  locale: 'en',
  allow_suggestions: true,
  allow_comments: true,
  footer_text: null,
  links: [],
  show_powered_by: true,
  custom_css: null,
}

export async function saveSettings(
  projectId: string,
  body: SettingsChange,
): Promise<PortalSettings> {
  const params = { project_id: projectId }
  const saved = await request('PATCH /api/v1/admin/portal/{project_id}/settings', { params, body })
  await invalidateReads(portalSettings)
  return saved
}
