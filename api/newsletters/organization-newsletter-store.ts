/** Queries for newsletters with all their settings. */
import { v7 as uuidv7 } from 'uuid'
import { CodedError } from '#schemas/error-codes.ts'
import type {
  NewsletterBody,
  NewsletterChange,
  NewsletterSettings,
} from '#schemas/rest/email/newsletter.ts'
import type { Database } from '../database.ts'

export interface NewsletterRow extends NewsletterSettings {
  readonly id: string
  readonly slug: string
  readonly archive_path: string
  readonly contact_counts: Record<string, number>
  readonly created_at: Date
  readonly updated_at: Date
}

/** Rows of one list; far more than an organization has. */
const newslettersMax = 1_000

const settings = [
  'name',
  'description',
  'from_name',
  'from_address',
  'reply_to',
  'confirm_signups',
  'archive_enabled',
  'archive_noindex',
  'track_opens',
  'track_clicks',
  'track_readers',
  'postal_address',
  'logo_url',
  'footer',
  'locale',
  'confirm_redirect_url',
  'welcome_enabled',
  'welcome_subject',
  'welcome_markdown',
] as const satisfies readonly (keyof NewsletterChange)[]

const columns = `id, slug, archive_path, ${settings.join(', ')}, created_at, updated_at, (
    select coalesce(jsonb_object_agg(status, count), '{}') from (
      select status, count(*)::int as count from contacts
      where newsletter_id = newsletters.id group by status
    ) by_status
  ) as contact_counts`

export async function listNewsletterRows(
  pg: Database,
  organizationId: string,
): Promise<NewsletterRow[]> {
  const { rows } = await pg.query<NewsletterRow>(
    `select ${columns} from newsletters where organization_id = $1
     order by slug limit ${newslettersMax}`,
    [organizationId],
  )
  return rows
}

/** `named`: the id or the slug. */
export async function findNewsletterRow(
  pg: Database,
  newsletter: { organizationId: string; named: string },
): Promise<NewsletterRow | undefined> {
  const { rows } = await pg.query<NewsletterRow>(
    `select ${columns} from newsletters
     where organization_id = $1 and (id::text = lower($2) or slug = $2)`,
    [newsletter.organizationId, newsletter.named],
  )
  return rows[0]
}

/** Settings that are left out get the defaults of their columns. */
export async function addNewsletterRow(
  pg: Database,
  organizationId: string,
  body: NewsletterBody,
): Promise<NewsletterRow> {
  const given = settings.filter((name) => body[name] !== undefined)
  const { rows } = await pg.query<NewsletterRow>(
    `insert into newsletters (id, organization_id, slug, ${given.join(', ')})
     values ($1, $2, $3, ${given.map((_, index) => `$${index + 4}`).join(', ')})
     on conflict (organization_id, slug) do nothing returning ${columns}`,
    [uuidv7(), organizationId, body.slug, ...given.map((name) => body[name])],
  )
  const [row] = rows
  if (row !== undefined) return row
  throw new CodedError('conflict', {
    message: 'A newsletter with this slug exists already.',
  })
}

/** Updates only the settings that the change names. */
export async function changeNewsletterRow(
  pg: Database,
  newsletter: { organizationId: string; id: string },
  change: NewsletterChange & { readonly now: Date },
): Promise<NewsletterRow | undefined> {
  const given = settings.filter((name) => change[name] !== undefined)
  const sets = given.map((name, index) => `${name} = $${index + 4}, `).join('')
  const { rows } = await pg.query<NewsletterRow>(
    `update newsletters set ${sets} updated_at = $3 where organization_id = $1 and id = $2
     returning ${columns}`,
    [newsletter.organizationId, newsletter.id, change.now, ...given.map((name) => change[name])],
  )
  return rows[0]
}

/**
 * Deletes a newsletter without contacts and campaigns: deleting it would delete their consent and
 * their record as well.
 */
export async function deleteUnusedNewsletter(
  pg: Database,
  newsletter: { organizationId: string; id: string },
): Promise<'deleted' | 'in_use'> {
  const { rowCount } = await pg.query(
    `delete from newsletters where organization_id = $1 and id = $2
       and not exists (select from contacts where newsletter_id = $2)
       and not exists (select from campaigns where newsletter_id = $2)`,
    [newsletter.organizationId, newsletter.id],
  )
  return rowCount === 1 ? 'deleted' : 'in_use'
}
