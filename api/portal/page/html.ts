/** HTML templates that escape every value, unless it is markup already. */

export interface Html {
  readonly markup: string
}

export type Fragment = Html | string | number | null | undefined | false | readonly Fragment[]

/**
 * Attributes in templates are always quoted, so the same escaping is right for text and attributes.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Fragment[]): Html {
  let markup = strings[0]!
  for (const [index, value] of values.entries()) markup += render(value) + strings[index + 1]!
  return { markup }
}

/**
 * A sentence with text of a user in it, isolated from its text direction. `sentence` is called with
 * a placeholder, which the text replaces.
 */
export function around(sentence: (text: string) => string, text: string): Html {
  const [before = '', ...after] = sentence(placeholder).split(placeholder)
  return html`${before}<bdi>${text}</bdi>${after.join('')}`
}

/** A character that no sentence contains. */
const placeholder = '\u0000'

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function render(value: Fragment): string {
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return String(value)
  return 'markup' in value ? value.markup : value.map(render).join('')
}
