import type { Newsletter } from '#schemas/rest/email/newsletter.ts'
import type { NewsletterRow } from './organization-newsletter-store.ts'

export function newsletterView({ created_at, updated_at, ...row }: NewsletterRow): Newsletter {
  return {
    ...row,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}
