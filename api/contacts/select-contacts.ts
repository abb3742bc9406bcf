import type { ContactStatus } from '#schemas/rest/email/contact.ts'
import type { ApiContext } from '../context.ts'
import { requireNewsletter } from '../newsletters/require-newsletter.ts'
import type { ContactFilter } from './contact-list-store.ts'

/** Selects the contacts of an organization to list or export. */
export interface ContactSelection {
  /** Slug of a newsletter. */
  readonly newsletter?: string | undefined
  readonly status?: ContactStatus | undefined
  /** Part of the address or of the name. */
  readonly query?: string | undefined
}

/** Makes the filter of a list or an export, or throws `newsletter_not_found`. */
export async function selectContacts(
  ctx: Pick<ApiContext, 'pg'>,
  organizationId: string,
  { newsletter: slug, status, query }: ContactSelection,
): Promise<ContactFilter> {
  const newsletter =
    slug === undefined ? undefined : await requireNewsletter(ctx, { organizationId, slug })
  return { organizationId, newsletterId: newsletter?.id, status, query: query || undefined }
}
