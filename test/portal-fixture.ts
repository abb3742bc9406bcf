/** Ideas, tags and settings put where people and visitors would have put them, for the tests of the portal. */
import { v7 as uuidv7 } from 'uuid'
import type { Pool } from '#platform/postgres.ts'
import type { IdeaStatus } from '#schemas/rest/idea.ts'
import { at, type Tenant } from './api-fixture.ts'

export interface FixtureIdea {
  readonly title?: string
  readonly description?: string
  readonly status?: Exclude<IdeaStatus, 'Duplicate'>
  readonly moderation?: 'published' | 'pending' | 'rejected'
  readonly duplicateOf?: string
  /** From the fixture's now. */
  readonly minutes?: number
}

export async function addIdea(pg: Pool, tenant: Tenant, idea: FixtureIdea = {}): Promise<string> {
  const id = uuidv7()
  await pg.query(
    `insert into ideas (id, project_id, title, description, status, moderation, duplicate_of, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
    [
      id,
      tenant.project.id,
      idea.title ?? 'An idea',
      idea.description ?? 'described',
      idea.duplicateOf === undefined ? (idea.status ?? 'Open') : 'Duplicate',
      idea.moderation ?? 'published',
      idea.duplicateOf ?? null,
      at(idea.minutes ?? 0),
    ],
  )
  return id
}

/** Makes the tag where there is none. */
export async function tagIdea(pg: Pool, tenant: Tenant, ideaId: string, slug: string) {
  await pg.query(
    `insert into tags (id, project_id, slug, name, color) values ($1, $2, $3, $3, '#3355ff')
     on conflict do nothing`,
    [uuidv7(), tenant.project.id, slug],
  )
  await pg.query(
    `insert into idea_tags select $1, id from tags where project_id = $2 and slug = $3`,
    [ideaId, tenant.project.id, slug],
  )
}

export interface FixtureSettings {
  readonly moderation?: 'off' | 'ideas' | 'all'
  readonly branding?: object
  readonly searchLanguage?: string
  readonly suggestionsPerHourMax?: number
}

/** The portal must not have been asked before, or its settings are still remembered. */
export async function setSettings(pg: Pool, tenant: Tenant, settings: FixtureSettings) {
  await pg.query(
    `insert into portal_settings (project_id, moderation, branding, search_language, suggestions_per_hour_max)
     values ($1, $2, $3, $4, $5)`,
    [
      tenant.project.id,
      settings.moderation ?? 'off',
      settings.branding === undefined ? null : JSON.stringify(settings.branding),
      settings.searchLanguage ?? 'simple',
      settings.suggestionsPerHourMax ?? 60,
    ],
  )
}

let addresses = 0

/** Another one each time. */
export function ipOf(): string {
  addresses += 1
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}
