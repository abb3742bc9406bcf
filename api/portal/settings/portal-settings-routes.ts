import { CodedError } from '#schemas/error-codes.ts'
import { Branding } from '#schemas/rest/portal/portal-config.ts'
import { PortalSettingsChange, PortalSettingsView } from '#schemas/rest/portal/portal-settings.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { Actor } from '../../audit/audit-store.ts'
import { actorOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { type ApiInstance, found, replies } from '../../http/route.ts'
import { adminPortalOf, PortalAdminPath, portalAdminTags as tags } from '../admin-portal.ts'
import { portalDirectoryOf } from '../gate/portal-directory.ts'
import { changePortalSettings } from './change-portal-settings.ts'
import type { StoredPortal } from './portal-settings-store.ts'

export function registerPortalSettings(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/settings',
    schema: {
      tags,
      summary: 'Settings of a portal',
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
      summary: 'Change settings of a portal',
      description:
        'What is left out stays as it is. End-user auth can be switched on once there is a secret. Takes effect within seconds.',
      params: PortalAdminPath,
      body: PortalSettingsChange,
      response: { ...replies(PortalSettingsView), 409: Problem },
    },
    handler: async (request) => {
      const { projectId, projectKey } = adminPortalOf(request)
      const actor: Actor = actorOf(request)
      const changed = await changePortalSettings(ctx.pg, {
        ...{ projectId, actor, change: request.body },
      })
      portalDirectoryOf(app).forget(projectKey)
      return settingsView(found(changed))
    },
  })
}

export function settingsView({ settings, secrets, ...portal }: StoredPortal): PortalSettingsView {
  const branding = settings.branding === null ? null : Branding.safeParse(settings.branding)
  if (branding?.success === false) throw new CodedError('internal', { cause: branding.error })
  return {
    project_id: portal.projectId,
    project_key: portal.projectKey,
    name: portal.name,
    allowed_origins: [...settings.allowedOrigins],
    moderation: settings.moderation,
    enduser_auth: settings.enduserAuth,
    reads_need_token: settings.readsNeedToken,
    search_language: settings.searchLanguage,
    branding: branding?.data ?? null,
    links_max: settings.linksMax,
    suggestions_per_hour_max: settings.suggestionsPerHourMax,
    votes_per_minute_max: settings.votesPerMinuteMax,
    live_secrets: secrets.length,
  }
}
