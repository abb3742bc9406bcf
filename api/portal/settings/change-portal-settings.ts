/** A change of a portal's settings, by a person or from the command line: checked, saved and written into the audit log as one. */
import { CodedError } from '#schemas/error-codes.ts'
import { Branding } from '#schemas/rest/portal/portal-config.ts'
import type { PortalSettingsChange } from '#schemas/rest/portal/portal-settings.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { Database, Postgres } from '../../database.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import {
  findPortalOfOrganization,
  isSearchLanguage,
  lockPortal,
  type PortalSettings,
  type StoredPortal,
  savePortalSettings,
} from './portal-settings-store.ts'

export interface SettingsChange {
  readonly projectId: string
  readonly actor: Actor
  readonly change: PortalSettingsChange
}

/** The portal as it is now; undefined: the organization has no such project. */
export function changePortalSettings(
  postgres: Pick<Postgres, 'transaction'>,
  { projectId, actor, change }: SettingsChange,
): Promise<StoredPortal | undefined> {
  const { organizationId } = actor
  return postgres.transaction(async (pg) => {
    await lockPortal(pg, projectId)
    const portal = await findPortalOfOrganization(pg, { projectId, organizationId })
    if (portal === undefined) return undefined
    const settings = await changed(pg, portal, change)
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

async function changed(
  pg: Database,
  { settings, secrets }: StoredPortal,
  change: PortalSettingsChange,
): Promise<PortalSettings> {
  if (change.enduser_auth === true && secrets.length === 0) {
    throw new CodedError('conflict', {
      message: 'Make a secret first: without one no token could be valid.',
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
