import type { CompiledEmail, Part } from '#schemas/mail/compiled-email.ts'
import { escapeHtml } from '#schemas/mail/escape-value.ts'

/** A compiled email whose counted links lead to their targets, so that a preview counts nothing. */
export function withoutTracking(email: CompiledEmail, links: readonly string[]): CompiledEmail {
  const direct = (parts: readonly Part[]) =>
    parts.map((part) => {
      if (typeof part === 'string' || !('link' in part) || part.link !== 'click') return part
      const target = links[part.index ?? 0] ?? ''
      return part.context === 'attribute' ? escapeHtml(target) : target
    })
  return { subject: email.subject, html: direct(email.html), text: direct(email.text) }
}
