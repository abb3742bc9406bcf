import type { Database } from '../database.ts'

export interface StoredNewsletter {
  readonly id: string
  readonly organizationId: string
  readonly slug: string
  readonly name: string
  readonly fromAddress: string
  readonly fromName: string | null
  readonly replyTo: string | null
  readonly confirmSignups: boolean
  readonly archiveEnabled: boolean
  readonly postalAddress: string | null
  readonly logoUrl: string | null
  readonly footer: string | null
  readonly locale: string
  readonly confirmRedirectUrl: string | null
  readonly welcomeEnabled: boolean
  readonly welcomeSubject: string | null
  readonly welcomeMarkdown: string | null
}

const columns = `n.id, n.organization_id as "organizationId", n.slug, n.name, n.from_address as "fromAddress",
  n.from_name as "fromName", n.reply_to as "replyTo", n.confirm_signups as "confirmSignups",
  n.archive_enabled as "archiveEnabled", n.postal_address as "postalAddress", n.logo_url as "logoUrl", n.footer, n.locale,
  n.confirm_redirect_url as "confirmRedirectUrl", n.welcome_enabled as "welcomeEnabled",
  n.welcome_subject as "welcomeSubject", n.welcome_markdown as "welcomeMarkdown"`

/** Undefined also for the slug of another organization's newsletter. */
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
