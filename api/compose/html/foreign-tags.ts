/**
 * Finds merge tags of other products, which would be sent as typed: Mailchimp, Liquid and Jinja,
 * Mailgun, Handlebars, and double percents.
 */

const patterns: readonly RegExp[] = [
  /\*\|[^|*\n]{1,60}\|\*/g,
  /\{%[^{}%\n]{1,100}%\}/g,
  /%recipient\.[\w.-]{1,60}%/g,
  /\{\{\{[^{}\n]{1,60}\}\}\}/g,
  /%%[A-Za-z_]\w{0,59}%%/g,
  /<%=?[^<>%\n]{1,100}%>/g,
]
const namedMax = 10

export function foreignTags(texts: readonly string[]): string[] {
  const found = new Set<string>()
  for (const pattern of patterns) {
    for (const text of texts) {
      for (const [tag] of text.matchAll(pattern)) {
        found.add(tag)
        if (found.size === namedMax) return [...found]
      }
    }
  }
  return [...found]
}
