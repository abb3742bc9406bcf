import { headerText } from '#schemas/mail/escape-value.ts'
import { parseTemplate } from '#schemas/mail/template.ts'

/** A subject or preview text as it reads when nobody's values fill it. */
export function lineWithoutContact(line: string): string {
  const parts = parseTemplate(line).map((part) => (typeof part === 'string' ? part : part.fallback))
  return headerText(parts.join('')).trim()
}
