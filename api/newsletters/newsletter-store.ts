/** The newsletter of a signup, a send or a campaign, found by its slug or id. */
import type { CampaignNewsletter } from '../campaigns/campaign-store.ts'
import type { Database } from '../database.ts'

export interface StoredNewsletter extends CampaignNewsletter {
  readonly confirmSignups: boolean
  readonly confirmRedirectUrl: string | null
  readonly welcomeEnabled: boolean
  readonly welcomeSubject: string | null
  readonly welcomeMarkdown: string | null
}

const columns = `n.id, n.organization_id as "organizationId", n.slug, n.name, n.from_address as "fromAddress",
  n.from_name as "fromName", n.reply_to as "replyTo", n.confirm_signups as "confirmSignups",
  n.archive_enabled as "archiveEnabled", n.postal_address as "postalAddress", n.logo_url as "logoUrl", n.footer, n.locale,
  n.confirm_redirect_url as "confirmRedirectUrl", n.welcome_enabled as "welcomeEnabled",
  n.welcome_subject as "welcomeSubject", n.welcome_markdown as "welcomeMarkdown",
  n.archive_path as "archivePath", n.description, n.archive_noindex as "archiveNoindex",
  n.track_opens as "trackOpens", n.track_clicks as "trackClicks"`

/** Returns undefined for the slug of another organization's newsletter as well. */
export async function findNewsletter(
  pg: Database,
  newsletter: { organizationId: string; slug: string },
): Promise<StoredNewsletter | undefined> {
  const { rows } = await pg.query<StoredNewsletter>(
    `select ${columns} from newsletters n where n.organization_id = $1 and n.slug = $2`,
    [newsletter.organizationId, newsletter.slug],
  )
  return rows[0]
}

export async function findNewsletterById(
  pg: Database,
  id: string,
): Promise<StoredNewsletter | undefined> {
  const { rows } = await pg.query<StoredNewsletter>(
    `select ${columns} from newsletters n where n.id = $1`,
    [id],
  )
  return rows[0]
}
