import { invalidField } from '../http/validation/invalid-field.ts'
import type { NewsletterRow } from './organization-newsletter-store.ts'

/**
 * A welcome email needs a subject and a text. Call it inside the transaction of a change, so that
 * the change is rolled back.
 */
export function requireWelcome(newsletter: NewsletterRow): void {
  if (!newsletter.welcome_enabled) return
  for (const field of ['welcome_subject', 'welcome_markdown'] as const) {
    if (!newsletter[field]) throw invalidField(field, 'must be set while welcome_enabled is true')
  }
}
