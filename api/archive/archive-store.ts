/** The public archive: newsletters that have one, and campaigns whose sending has begun. */
import type { CampaignNewsletter } from '../campaigns/campaign-store.ts'
import type { Database } from '../database.ts'

export type ArchiveNewsletter = Pick<
  CampaignNewsletter,
  | 'id'
  | 'archivePath'
  | 'name'
  | 'description'
  | 'archiveNoindex'
  | 'locale'
  | 'logoUrl'
  | 'fromName'
>

export interface ArchivedCampaign {
  readonly id: string
  readonly subject: string
  readonly previewText: string | null
  readonly archiveSlug: string
  readonly sentAt: Date
  readonly updatedAt: Date
}

export type ArchivedCampaignSource = ArchivedCampaign & {
  readonly html: string | null
  readonly markdown: string | null
}

const issueColumns = `c.id, c.subject, c.preview_text as "previewText", c.archive_slug as "archiveSlug",
  c.sent_at as "sentAt", c.updated_at as "updatedAt"`

/** Finds a newsletter by the path of its archive; undefined when the archive is disabled, too. */
export async function findArchive(
  pg: Database,
  archivePath: string,
): Promise<ArchiveNewsletter | undefined> {
  const { rows } = await pg.query<ArchiveNewsletter>(
    `select id, archive_path as "archivePath", name, description, archive_noindex as "archiveNoindex", locale, logo_url as "logoUrl",
       from_name as "fromName"
     from newsletters where archive_path = $1 and archive_enabled`,
    [archivePath],
  )
  return rows[0]
}

export async function listArchive(
  pg: Database,
  page: { newsletterId: string; limit: number; offset: number },
): Promise<ArchivedCampaign[]> {
  const { rows } = await pg.query<ArchivedCampaign>(
    `select ${issueColumns} from campaigns c where newsletter_id = $1 and sent_at is not null
     order by sent_at desc, id desc limit $2 offset $3`,
    [page.newsletterId, page.limit, page.offset],
  )
  return rows
}

/** Lists the newest campaigns with their source, for feeds. */
export async function latestCampaigns(
  pg: Database,
  wanted: { newsletterId: string; limit: number },
): Promise<ArchivedCampaignSource[]> {
  const { rows } = await pg.query<ArchivedCampaignSource>(
    `select ${issueColumns}, c.html, c.markdown from campaigns c where newsletter_id = $1 and sent_at is not null
     order by sent_at desc, id desc limit $2`,
    [wanted.newsletterId, wanted.limit],
  )
  return rows
}

/** Campaigns are public as soon as sending begins, because the first emails link to them. */
export async function findCampaign(
  pg: Database,
  campaign: { newsletterId: string; archiveSlug: string },
): Promise<ArchivedCampaignSource | undefined> {
  const { rows } = await pg.query<ArchivedCampaignSource>(
    `select ${issueColumns}, c.html, c.markdown from campaigns c
     where newsletter_id = $1 and archive_slug = $2 and sent_at is not null`,
    [campaign.newsletterId, campaign.archiveSlug],
  )
  return rows[0]
}
