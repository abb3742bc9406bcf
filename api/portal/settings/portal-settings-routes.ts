/** Settings of a portal, for the team. */
import {
  BrandingPreviewReply,
  BrandingToPreview,
  PortalSettingsChange,
  PortalSettingsView,
} from '#schemas/rest/portal/portal-settings.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { type ApiInstance, replies } from '../../http/route.ts'
import { adminPortalOf, PortalAdminPath } from '../admin-portal.ts'
import { portalDirectoryOf } from '../gate/portal-directory.ts'
import { makeBrandingPreview } from './branding-preview.ts'
import { settingsView } from './portal-settings-view.ts'
import { updatePortalSettings } from './update-portal-settings.ts'

const tags = ['portal settings']

export function registerPortalSettings(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/settings',
    schema: {
      tags,
      operationId: 'getPortalSettings',
      summary: 'Get the settings of a portal',
      params: PortalAdminPath,
      response: replies(PortalSettingsView),
    },
    handler: async (request) => settingsView(adminPortalOf(request)),
  })

  app.route({
    method: 'PATCH',
    url: '/settings',
    schema: {
      tags,
      operationId: 'updatePortalSettings',
      summary: 'Update the settings of a portal',
      description:
        'Omitted fields stay unchanged. End-user auth needs a live secret. All API processes use the new settings within 3 seconds.',
      params: PortalAdminPath,
      body: PortalSettingsChange,
      response: { ...replies(PortalSettingsView), 409: Problem },
    },
    handler: async (request) => {
      const { projectId, projectKey } = adminPortalOf(request)
      const change = { projectId, change: request.body }
      const portal = await updatePortalSettings(ctx, actorOf(request), change)
      portalDirectoryOf(app).evict(projectKey)
      return settingsView(portal)
    },
  })
  app.route({
    method: 'POST',
    url: '/preview',
    schema: {
      tags,
      operationId: 'previewBranding',
      summary: 'Preview branding without saving it',
      description:
        'Returns an address of the hosted page that shows the given branding for 15 minutes. Nothing is stored.',
      params: PortalAdminPath,
      body: BrandingToPreview,
      response: replies(BrandingPreviewReply),
    },
    handler: async (request) => {
      const { projectKey, settings } = adminPortalOf(request)
      const change = request.body.branding
      const nowMs = ctx.clock.nowMs()
      const wanted = { projectKey, saved: settings.branding, change, nowMs }
      const preview = makeBrandingPreview(ctx.box, wanted)
      const prefix = new URL(ctx.apiUrl).pathname.replace(/\/$/, '')
      return {
        path: `${prefix}/portal/${projectKey}?preview=${preview.token}`,
        expires_at: new Date(preview.expiresMs).toISOString(),
        omits_css: preview.omitsCss,
      }
    },
  })
}
