/**
 * Placeholders in the text of authors: `{{name}}`, `{{attr.key}}`, and with a fallback for contacts
 * without a value `{{name | there}}`. There are no conditions, loops or partials. Other braces,
 * such as `{{foo}}`, are sent as typed, because people write braces in code samples.
 */
const fallbackCharactersMax = 200

export interface Placeholder {
  /** A `ValueName` (schemas/mail/compiled-email.ts). */
  readonly value: string
  /** Used when the value is missing or blank. */
  readonly fallback: string
}

export type TemplatePart = string | Placeholder

const placeholder = `\\{\\{\\s{0,8}(name|attr\\.[A-Za-z0-9_-]{1,64})\\s{0,8}(?:\\\\?\\|([^{}\\r\\n]{0,${fallbackCharactersMax}}))?\\}\\}`
const placeholderPattern = new RegExp(placeholder, 'g')
const wholePlaceholder = new RegExp(`^${placeholder}$`)
/** Matches everything that looks like a placeholder. */
const bracesPattern = /\{\{[^{}\r\n]{0,100}\}\}/g

export function parseTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let from = 0
  for (const match of text.matchAll(placeholderPattern)) {
    if (from < match.index) parts.push(text.slice(from, match.index))
    parts.push({ value: match[1]!, fallback: (match[2] ?? '').trim() })
    from = match.index + match[0].length
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}

/** Braces that are not placeholders. They are sent as typed, so the author is warned. */
export function unknownPlaceholders(text: string, namesMax: number): string[] {
  const unknown: string[] = []
  for (const braces of new Set(text.match(bracesPattern))) {
    if (wholePlaceholder.test(braces)) continue
    if (unknown.push(braces) === namesMax) break
  }
  return unknown
}
