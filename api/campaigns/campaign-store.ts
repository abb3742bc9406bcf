/** Queries for campaigns, each together with its newsletter. */

import { v7 as uuidv7 } from 'uuid'
import { CompiledEmail } from '#schemas/mail/compiled-email.ts'
import type { CampaignState } from '#schemas/rest/email/campaign-admin.ts'
import type { DnsRecordCheck } from '#schemas/rest/email/sending-domain.ts'
import type { Database } from '../database.ts'

export interface CampaignNewsletter {
  readonly id: string
  readonly organizationId: string
  readonly slug: string
  /** Part of the address of the public archive. */
  readonly archivePath: string
  readonly name: string
  readonly fromAddress: string
  readonly fromName: string | null
  readonly replyTo: string | null
  readonly description: string | null
  readonly archiveEnabled: boolean
  readonly archiveNoindex: boolean
  readonly trackOpens: boolean
  readonly trackClicks: boolean
  readonly postalAddress: string | null
  readonly logoUrl: string | null
  readonly footer: string | null
  readonly locale: string
}

export interface StoredCampaign {
  readonly id: string
  readonly state: CampaignState
  readonly subject: string
  readonly previewText: string | null
  readonly html: string | null
  readonly markdown: string | null
  readonly archiveSlug: string
  readonly createdBy: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly scheduledAt: Date | null
  readonly sentAt: Date | null
  readonly finishedAt: Date | null
  readonly reason: string | null
  /** Null before its sending has begun. */
  readonly counts: CampaignCounts | null
  readonly newsletter: CampaignNewsletter
}

export interface CampaignCounts {
  readonly audience: number
  readonly waiting: number
  readonly sent: number
  readonly failed: number
  readonly bounced: number
  readonly complained: number
  readonly opens: number
  readonly clicks: number
}

const newsletterJson = `json_build_object('id', n.id, 'organizationId', n.organization_id, 'slug', n.slug, 'archivePath', n.archive_path, 'name', n.name,
  'fromAddress', n.from_address, 'fromName', n.from_name, 'replyTo', n.reply_to, 'description', n.description,
  'archiveEnabled', n.archive_enabled, 'archiveNoindex', n.archive_noindex, 'trackOpens', n.track_opens,
  'trackClicks', n.track_clicks, 'postalAddress', n.postal_address, 'logoUrl', n.logo_url, 'footer', n.footer,
  'locale', n.locale) as newsletter`

const columns = `c.id, c.state, c.subject, c.preview_text as "previewText", c.html, c.markdown,
  c.archive_slug as "archiveSlug", c.created_by as "createdBy", c.created_at as "createdAt", c.updated_at as "updatedAt",
  c.scheduled_at as "scheduledAt", c.sent_at as "sentAt", c.finished_at as "finishedAt", c.reason, ${newsletterJson},
  (select json_build_object('audience', audience, 'waiting', waiting, 'sent', sent, 'failed', failed, 'bounced', bounced,
     'complained', complained, 'opens', opens - opens_machine, 'clicks', clicks - clicks_machine)
   from campaign_counts k where k.campaign_id = c.id and c.state not in ('draft', 'scheduled')) as counts`

export async function findCampaign(
  pg: Database,
  campaign: { organizationId: string; id: string },
): Promise<StoredCampaign | undefined> {
  const { rows } = await pg.query<StoredCampaign>(
    `select ${columns} from campaigns c join newsletters n on n.id = c.newsletter_id
     where c.id = $1 and c.organization_id = $2`,
    [campaign.id, campaign.organizationId],
  )
  return rows[0]
}

export interface NewCampaignRow {
  readonly newsletter: Pick<CampaignNewsletter, 'id' | 'organizationId'>
  readonly subject: string
  readonly previewText: string | null
  readonly html: string | null
  readonly markdown: string | null
  readonly archiveSlug: string
  readonly createdBy: string | null
  readonly now: Date
}

/** Returns undefined if the slug is taken. */
export async function addCampaign(
  pg: Database,
  campaign: NewCampaignRow,
): Promise<{ id: string } | undefined> {
  const { rows } = await pg.query<{ id: string }>(
    `insert into campaigns (id, organization_id, newsletter_id, subject, preview_text, html, markdown, archive_slug,
       created_by, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
     on conflict (newsletter_id, archive_slug) do nothing returning id`,
    [
      uuidv7(),
      campaign.newsletter.organizationId,
      campaign.newsletter.id,
      campaign.subject,
      campaign.previewText,
      campaign.html,
      campaign.markdown,
      campaign.archiveSlug,
      campaign.createdBy,
      campaign.now,
    ],
  )
  return rows[0]
}

/** Lists slugs of the newsletter that equal the base, or the base with a number. */
export async function slugsLike(
  pg: Database,
  slug: { newsletterId: string; base: string },
): Promise<string[]> {
  const { rows } = await pg.query<{ archive_slug: string }>(
    `select archive_slug from campaigns where newsletter_id = $1 and starts_with(archive_slug, $2)
     order by created_at desc limit 10000`,
    [slug.newsletterId, slug.base],
  )
  return rows.map(({ archive_slug }) => archive_slug)
}

export interface CampaignEdit {
  readonly subject: string
  readonly previewText: string | null
  readonly html: string | null
  readonly markdown: string | null
  readonly archiveSlug: string
}

export type EditResult = 'changed' | 'changed_meanwhile' | 'not_a_draft' | 'slug_taken'

/** Updates drafts only: a frozen campaign is sent as it was frozen. */
export async function changeDraft(
  pg: Database,
  campaign: {
    id: string
    newsletterId: string
    edit: CampaignEdit
    /** The change is refused if the draft was changed after this time. */
    ifUpdatedAt: Date | undefined
    now: Date
  },
): Promise<EditResult> {
  const { edit } = campaign
  const { rows } = await pg.query<{ changed: boolean; taken: boolean; state: string | null }>(
    `with taken as (
       select exists(select from campaigns where newsletter_id = $2 and archive_slug = $7 and id <> $1) as is_taken
     ), changed as (
       update campaigns set subject = $3, preview_text = $4, html = $5, markdown = $6, archive_slug = $7, updated_at = $8
       where id = $1 and state = 'draft' and not (select is_taken from taken)
         and ($9::timestamptz is null or date_trunc('milliseconds', updated_at) = $9) returning id
     )
     select exists(select from changed) as changed, is_taken as taken,
       (select state from campaigns where id = $1) as state from taken`,
    [
      campaign.id,
      campaign.newsletterId,
      edit.subject,
      edit.previewText,
      edit.html,
      edit.markdown,
      edit.archiveSlug,
      campaign.now,
      campaign.ifUpdatedAt ?? null,
    ],
  )
  const [row] = rows
  if (row?.taken) return 'slug_taken'
  if (row?.changed) return 'changed'
  return row?.state === 'draft' ? 'changed_meanwhile' : 'not_a_draft'
}

export async function deleteDraft(pg: Database, id: string): Promise<boolean> {
  const { rowCount } = await pg.query(`delete from campaigns where id = $1 and state = 'draft'`, [
    id,
  ])
  return rowCount === 1
}

export interface CampaignFilter {
  readonly organizationId: string
  readonly newsletter: string | undefined
  readonly states: readonly CampaignState[] | undefined
  readonly after: readonly [createdAt: string, id: string] | undefined
  readonly limit: number
}

export type ListedCampaign = Omit<StoredCampaign, 'html' | 'markdown'> & { readonly at: string }

/** Newest first, with one row more than `limit`. */
export async function listCampaigns(
  pg: Database,
  filter: CampaignFilter,
): Promise<ListedCampaign[]> {
  const listed = columns.replace('c.html, c.markdown,', '')
  const { rows } = await pg.query<ListedCampaign>(
    `select ${listed}, to_json(c.created_at) #>> '{}' as at
     from campaigns c join newsletters n on n.id = c.newsletter_id
     where c.organization_id = $1 and ($2::text is null or n.slug = $2) and ($3::text[] is null or c.state = any($3))
       and ($4::timestamptz is null or (c.created_at, c.id) < ($4, $5))
     order by c.created_at desc, c.id desc limit $6`,
    [
      filter.organizationId,
      filter.newsletter ?? null,
      filter.states ?? null,
      filter.after?.[0] ?? null,
      filter.after?.[1] ?? null,
      filter.limit + 1,
    ],
  )
  return rows
}

export interface SentCampaignRow {
  readonly id: string
  readonly subject: string
  readonly previewText: string | null
  readonly archiveSlug: string
  readonly sentAt: Date
}

/** Campaigns whose sending has begun, newest first, and how many there are. */
export async function listSentCampaigns(
  pg: Database,
  page: { newsletterId: string; limit: number; offset: number },
): Promise<{ campaigns: SentCampaignRow[]; total: number }> {
  const { rows } = await pg.query<{ total: number; campaigns: SentCampaignRow[] }>(
    `with sent as (
       select id, subject, preview_text as "previewText", archive_slug as "archiveSlug", sent_at as "sentAt"
       from campaigns where newsletter_id = $1 and sent_at is not null and state in ('preparing', 'sending', 'paused', 'sent')
     ), page as (
       select * from sent order by "sentAt" desc, id desc limit $2 offset $3
     )
     select (select count(*)::int from sent) as total,
       coalesce((select json_agg(p order by p."sentAt" desc, p.id desc) from page p), '[]') as campaigns`,
    [page.newsletterId, page.limit, page.offset],
  )
  const { total = 0, campaigns = [] } = rows[0] ?? {}
  return { total, campaigns: campaigns.map((row) => ({ ...row, sentAt: new Date(row.sentAt) })) }
}

/**
 * Stores the composed email and its links, and removes links of an earlier freeze of the same
 * campaign.
 */
export async function storeFrozen(
  pg: Database,
  campaign: { id: string; compiled: object; links: readonly string[] },
): Promise<void> {
  await pg.query(
    `with kept as (
       delete from campaign_links where campaign_id = $1 and link_index >= cardinality($3::text[])
     ), linked as (
       insert into campaign_links (campaign_id, link_index, url)
       select $1, position - 1, url from unnest($3::text[]) with ordinality as given (url, position)
       on conflict (campaign_id, link_index) do update set url = excluded.url
     )
     update campaigns set compiled = $2 where id = $1`,
    [campaign.id, JSON.stringify(campaign.compiled), campaign.links],
  )
}

/** The email that a campaign was frozen with, and the targets of its counted links. */
export async function findFrozenEmail(
  pg: Database,
  campaignId: string,
): Promise<{ email: CompiledEmail; links: readonly string[] } | undefined> {
  const { rows } = await pg.query<{ email: unknown; links: string[] }>(
    `select c.compiled -> 'email' as email, array(
         select url from campaign_links where campaign_id = c.id order by link_index) as links
       from campaigns c where c.id = $1 and c.compiled is not null`,
    [campaignId],
  )
  const [row] = rows
  return row && { email: CompiledEmail.parse(row.email), links: row.links }
}

export interface CampaignAudience {
  readonly subscribed: number
  readonly suppressed: number
}

export async function countAudience(pg: Database, newsletterId: string): Promise<CampaignAudience> {
  const { rows } = await pg.query<CampaignAudience>(
    `select count(*)::int as subscribed, (count(*) filter (where a.suppressed_at is not null))::int as suppressed
     from contacts c join addresses a on a.id = c.address_id
     where c.newsletter_id = $1 and c.status = 'subscribed'`,
    [newsletterId],
  )
  return rows[0] ?? { subscribed: 0, suppressed: 0 }
}

/**
 * How many subscribers have no value, or a blank one, for each of these: `name`, or the key of an
 * attribute.
 */
export async function countMissing(
  pg: Database,
  wanted: { newsletterId: string; values: readonly string[] },
): Promise<Map<string, number>> {
  const { rows } = await pg.query<{ value: string; missing: number }>(
    `select v.value, count(*)::int as missing
     from contacts c cross join unnest($2::text[]) as v (value)
     where c.newsletter_id = $1 and c.status = 'subscribed'
       and coalesce(btrim(case v.value when 'name' then c.name else c.attribs ->> substr(v.value, 6) end), '') = ''
     group by v.value`,
    [wanted.newsletterId, wanted.values],
  )
  return new Map(rows.map(({ value, missing }) => [value, missing]))
}

export interface PreviewContact {
  readonly name: string | null
  readonly attribs: Record<string, unknown>
}

export async function findPreviewContact(
  pg: Database,
  contact: { id: string; newsletterId: string },
): Promise<PreviewContact | undefined> {
  const { rows } = await pg.query<PreviewContact>(
    'select name, attribs from contacts where id = $1 and newsletter_id = $2',
    [contact.id, contact.newsletterId],
  )
  return rows[0]
}

export interface DomainCheck {
  readonly checkedAt: Date | null
  readonly result: readonly Pick<DnsRecordCheck, 'use' | 'state'>[] | null
}

export async function findDomainCheck(
  pg: Database,
  domain: { organizationId: string; domain: string },
): Promise<DomainCheck | undefined> {
  const { rows } = await pg.query<DomainCheck>(
    `select checked_at as "checkedAt", check_result as result from sending_domains
     where organization_id = $1 and domain = $2`,
    [domain.organizationId, domain.domain],
  )
  return rows[0]
}
