/**
 * What a value may become, by the place it stands in. Values come from forms that strangers fill in: none may add markup, a header,
 * a CSS declaration or another scheme to a letter. Each escape is one pass over the value, and its result is never read again.
 */
import { z } from 'zod'

/**
 * html: text between tags. attribute: within a quoted attribute. url_start: the beginning of an address, so that its scheme is the
 * value's. url_part: the rest of an address. css: within a style. header: subject and names. text: the text part.
 * url_start_text and url_part_text are addresses within the text part.
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
  // Most names hold nothing to escape: the test is cheaper than the replacement.
  return markup.test(text) ? text.replace(markupAll, (found) => entities[found]!) : text
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for.
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for.
const headerControls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g
/** Neither brackets, quotes, colons nor semicolons: a value stays one value. */
const notCss = /[^\p{L}\p{N} #%.,_-]/gu
const webScheme = /^https?:\/\/[^/\\]/i
/** What may not stand in an address as it is (RFC 3986 §2); `%` stays, an address may be encoded already. */
const notInAddress = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/gu

function withoutControls(value: string): string {
  return value.replace(controls, '')
}

/** One line: what could begin another header becomes a space. */
export function headerText(value: string): string {
  return value.replace(headerControls, ' ')
}

/** Empty for every other scheme, and for what has none. */
function webAddress(value: string): string {
  const address = value.trim().toWellFormed()
  return webScheme.test(address) ? address.replace(notInAddress, encodeURIComponent) : ''
}
