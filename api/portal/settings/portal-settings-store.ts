/** Portals by the key in their path, with everything that a request needs of them. */
import type { ProjectId } from '#schemas/ids.ts'
import type { Database } from '../../database.ts'

export type ModerationMode = 'off' | 'ideas' | 'all'

export interface PortalSettings {
  /** Normalized by AllowedOrigin. Empty: all origins are allowed. */
  readonly allowedOrigins: readonly string[]
  readonly moderation: ModerationMode
  readonly enduserAuth: boolean
  readonly readsNeedToken: boolean
  readonly searchLanguage: string
  /** Null: no branding is saved. */
  readonly branding: Readonly<Record<string, unknown>> | null
  readonly linksMax: number
  readonly suggestionsPerHourMax: number
  readonly votesPerMinuteMax: number
}

export interface SealedEndUserSecret {
  readonly id: string
  readonly sealed: Uint8Array
}

export interface StoredPortal {
  readonly projectId: string
  readonly organizationId: string
  readonly dsnId: ProjectId
  readonly projectKey: string
  readonly name: string
  readonly settings: PortalSettings
  /** Live secrets, newest first. */
  readonly secrets: readonly SealedEndUserSecret[]
}

interface PortalRow {
  readonly project_id: string
  readonly organization_id: string
  readonly dsn_id: ProjectId
  readonly project_key: string
  readonly name: string
  readonly allowed_origins: string[]
  readonly moderation: ModerationMode
  readonly enduser_auth: boolean
  readonly reads_need_token: boolean
  readonly search_language: string
  readonly branding: Record<string, unknown> | null
  readonly links_max: number
  readonly suggestions_per_hour_max: number
  readonly votes_per_minute_max: number
  readonly secrets: { id: string; sealed: string }[]
}

/** A project without a row of settings has the defaults of the table. */
const portalSelect = `
  select p.id project_id, p.organization_id, p.dsn_id, p.project_key, p.name,
    coalesce(s.allowed_origins, '{}') allowed_origins, coalesce(s.moderation, 'off') moderation,
    coalesce(s.enduser_auth, false) enduser_auth, coalesce(s.reads_need_token, false) reads_need_token,
    coalesce(s.search_language, 'simple') search_language, s.branding, coalesce(s.links_max, 5) links_max,
    coalesce(s.suggestions_per_hour_max, 60) suggestions_per_hour_max,
    coalesce(s.votes_per_minute_max, 5) votes_per_minute_max,
    (select coalesce(json_agg(json_build_object('id', e.id, 'sealed', encode(e.sealed_secret, 'base64'))
       order by e.created_at desc, e.id desc), '[]')
       from enduser_secrets e where e.project_id = p.id and e.retired_at is null) secrets
  from projects p left join portal_settings s on s.project_id = p.id`

export async function findPortalByKey(
  pg: Database,
  projectKey: string,
): Promise<StoredPortal | undefined> {
  const { rows } = await pg.query<PortalRow>(`${portalSelect} where p.project_key = $1`, [
    projectKey,
  ])
  return rows[0] && portalOfRow(rows[0])
}

/** For people, who see portals of their own organization only. */
export async function findPortalOfOrganization(
  pg: Database,
  { projectId, organizationId }: { projectId: string; organizationId: string },
): Promise<StoredPortal | undefined> {
  const { rows } = await pg.query<PortalRow>(
    `${portalSelect} where p.id = $1 and p.organization_id = $2`,
    [projectId, organizationId],
  )
  return rows[0] && portalOfRow(rows[0])
}

/**
 * Serializes changes of one portal until the transaction ends. Rows that refer to the project can
 * be added.
 */
export async function lockPortal(pg: Database, projectId: string): Promise<void> {
  await pg.query('select from projects where id = $1 for no key update', [projectId])
}

/** Whether Postgres has a text search configuration of this name. */
export async function isSearchLanguage(pg: Database, language: string): Promise<boolean> {
  const { rows } = await pg.query('select from pg_ts_config where cfgname = $1', [language])
  return rows.length > 0
}

export async function savePortalSettings(
  pg: Database,
  projectId: string,
  settings: PortalSettings,
): Promise<void> {
  await pg.query(
    `insert into portal_settings (project_id, allowed_origins, moderation, enduser_auth, reads_need_token,
       search_language, branding, links_max, suggestions_per_hour_max, votes_per_minute_max)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (project_id) do update set allowed_origins = excluded.allowed_origins,
       moderation = excluded.moderation, enduser_auth = excluded.enduser_auth,
       reads_need_token = excluded.reads_need_token, search_language = excluded.search_language,
       branding = excluded.branding, links_max = excluded.links_max,
       suggestions_per_hour_max = excluded.suggestions_per_hour_max,
       votes_per_minute_max = excluded.votes_per_minute_max, updated_at = now()`,
    [
      projectId,
      settings.allowedOrigins,
      settings.moderation,
      settings.enduserAuth,
      settings.readsNeedToken,
      settings.searchLanguage,
      settings.branding === null ? null : JSON.stringify(settings.branding),
      settings.linksMax,
      settings.suggestionsPerHourMax,
      settings.votesPerMinuteMax,
    ],
  )
}

function portalOfRow(row: PortalRow): StoredPortal {
  return {
    projectId: row.project_id,
    organizationId: row.organization_id,
    dsnId: row.dsn_id,
    projectKey: row.project_key,
    name: row.name,
    settings: {
      allowedOrigins: row.allowed_origins,
      moderation: row.moderation,
      enduserAuth: row.enduser_auth,
      readsNeedToken: row.reads_need_token,
      searchLanguage: row.search_language,
      branding: row.branding,
      linksMax: row.links_max,
      suggestionsPerHourMax: row.suggestions_per_hour_max,
      votesPerMinuteMax: row.votes_per_minute_max,
    },
    secrets: row.secrets.map(({ id, sealed }) => ({ id, sealed: Buffer.from(sealed, 'base64') })),
  }
}
