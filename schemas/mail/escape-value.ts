/**
 * Escapes a contact's value for its place in an email. Values come from forms that anyone can fill
 * in: none may add markup, a header, a CSS declaration or another URL scheme. Each escape is one
 * pass over the value, and its result is never read again.
 */
import { z } from 'zod'

/**
 * The context of a value.
 *
 * - `html`: text between tags.
 * - `attribute`: within a quoted attribute.
 * - `url_start`: the beginning of a URL, including its scheme.
 * - `url_part`: the rest of a URL.
 * - `css`: within a style.
 * - `header`: subject and names.
 * - `text`: the text part; `url_start_text` and `url_part_text` are URLs in it.
 */
export const SlotContext = z.enum([
  'html',
  'attribute',
  'url_start',
  'url_part',
  'css',
  'header',
  'text',
  'url_start_text',
  'url_part_text',
])
export type SlotContext = z.infer<typeof SlotContext>

export function escapeValue(value: string, context: SlotContext): string {
  switch (context) {
    case 'html':
    case 'attribute':
      return escapeHtml(withoutControls(value))
    case 'url_start':
      return escapeHtml(webAddress(value))
    case 'url_start_text':
      return webAddress(value)
    case 'url_part':
      return escapeHtml(encodeURIComponent(value.toWellFormed()))
    case 'url_part_text':
      return encodeURIComponent(value.toWellFormed())
    case 'css':
      return value.replace(notCss, '')
    case 'header':
      return headerText(value)
    case 'text':
      return withoutControls(value)
  }
}

const markup = /[&<>"']/
const markupAll = /[&<>"']/g
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  // Most names need no escaping, and the test is faster than the replacement.
  return markup.test(text) ? text.replace(markupAll, (found) => entities[found]!) : text
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for.
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for.
const headerControls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g
/** Brackets, quotes, colons and semicolons are removed, so a value cannot end its declaration. */
const notCss = /[^\p{L}\p{N} #%.,_-]/gu
const webScheme = /^https?:\/\/[^/\\]/i
/**
 * Characters that a URL must encode (RFC 3986 §2), except `%`, which may be part of an encoded one.
 */
const notInAddress = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/gu

function withoutControls(value: string): string {
  return value.replace(controls, '')
}

/** Replaces control characters, which could start another header, with spaces. */
export function headerText(value: string): string {
  return value.replace(headerControls, ' ')
}

/** The URL if its scheme is http or https, else an empty string. */
function webAddress(value: string): string {
  const address = value.trim().toWellFormed()
  return webScheme.test(address) ? address.replace(notInAddress, encodeURIComponent) : ''
}
