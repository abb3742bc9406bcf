/** Updates the settings of a portal. Fields that the change omits stay unchanged. */
import { CodedError } from '#schemas/error-codes.ts'
import { Branding } from '#schemas/rest/portal/portal-config.ts'
import type { PortalSettingsChange } from '#schemas/rest/portal/portal-settings.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import type { Database } from '../../database.ts'
import { found } from '../../http/route.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import {
  findPortalOfOrganization,
  isSearchLanguage,
  lockPortal,
  type PortalSettings,
  type StoredPortal,
  savePortalSettings,
} from './portal-settings-store.ts'

export interface UpdatePortalSettings {
  readonly projectId: string
  readonly change: PortalSettingsChange
}

export function updatePortalSettings(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { projectId, change }: UpdatePortalSettings,
): Promise<StoredPortal> {
  const { organizationId } = actor
  return ctx.pg.transaction(async (pg) => {
    await lockPortal(pg, projectId)
    const portal = found(await findPortalOfOrganization(pg, { projectId, organizationId }))
    const settings = await settingsAfter(pg, portal, change)
    await savePortalSettings(pg, projectId, settings)
    await addAudit(pg, actor, {
      action: 'portal.changed',
      subjectType: 'project',
      subjectId: projectId,
      details: change,
    })
    return { ...portal, settings }
  })
}

async function settingsAfter(
  pg: Database,
  { settings, secrets }: StoredPortal,
  change: PortalSettingsChange,
): Promise<PortalSettings> {
  if (change.enduser_auth === true && secrets.length === 0) {
    throw new CodedError('conflict', {
      message: 'Create a secret first: without a secret, no token is valid.',
    })
  }
  const language = change.search_language
  if (language !== undefined && !(await isSearchLanguage(pg, language))) {
    throw invalidField('search_language', 'must be a search configuration that Postgres has')
  }
  const origins = change.allowed_origins
  return {
    allowedOrigins: origins === undefined ? settings.allowedOrigins : [...new Set(origins)],
    moderation: change.moderation ?? settings.moderation,
    enduserAuth: change.enduser_auth ?? settings.enduserAuth,
    readsNeedToken: change.reads_need_token ?? settings.readsNeedToken,
    searchLanguage: language ?? settings.searchLanguage,
    branding: brandingAfter(settings.branding, change.branding),
    linksMax: change.links_max ?? settings.linksMax,
    suggestionsPerHourMax: change.suggestions_per_hour_max ?? settings.suggestionsPerHourMax,
    votesPerMinuteMax: change.votes_per_minute_max ?? settings.votesPerMinuteMax,
  }
}

function brandingAfter(
  before: PortalSettings['branding'],
  change: PortalSettingsChange['branding'],
): PortalSettings['branding'] {
  if (change === undefined) return before
  return change === null ? null : Branding.parse({ ...before, ...change })
}
