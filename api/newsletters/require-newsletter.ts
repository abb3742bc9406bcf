import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../context.ts'
import { findNewsletter, type StoredNewsletter } from './newsletter-store.ts'

/** Finds a newsletter of the organization by its slug, or throws `newsletter_not_found`. */
export async function requireNewsletter(
  ctx: Pick<ApiContext, 'pg'>,
  named: { readonly organizationId: string; readonly slug: string },
): Promise<StoredNewsletter> {
  // No slug contains NUL, and Postgres rejects it.
  const newsletter = named.slug.includes('\0') ? undefined : await findNewsletter(ctx.pg, named)
  if (newsletter === undefined) throw new CodedError('newsletter_not_found')
  return newsletter
}
