import { CodedError } from '#schemas/error-codes.ts'
import { Branding } from '#schemas/rest/portal/portal-config.ts'
import type { PortalSettingsView } from '#schemas/rest/portal/portal-settings.ts'
import type { StoredPortal } from './portal-settings-store.ts'

/** The settings of a portal as the API and the command line show them. */
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
