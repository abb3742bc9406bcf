import { CodedError } from '#schemas/error-codes.ts'
import type { Database } from '../database.ts'
import { type CampaignNewsletter, findCampaignNewsletter } from './campaign-store.ts'

/** Throws `newsletter_not_found` for the slug of another organization's newsletter as well. */
export async function requireNewsletter(
  pg: Database,
  { organizationId, slug }: { organizationId: string; slug: string },
): Promise<CampaignNewsletter> {
  // Postgres refuses a text that contains NUL, so no newsletter has such a slug.
  const newsletter = slug.includes('\0')
    ? undefined
    : await findCampaignNewsletter(pg, { organizationId, slug })
  if (newsletter === undefined) throw new CodedError('newsletter_not_found')
  return newsletter
}
