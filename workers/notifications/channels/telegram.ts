/**
 * Telegram's Bot API (core.telegram.org/bots/api: sendMessage) in HTML mode. A text has at most
 * 4,096 characters after its entities are parsed; here with them, so that nothing has to be
 * parsed.
 */
import { urlBelow } from '#platform/http/url-below.ts'
import { type Channel, joinWithin, jsonRequest, moreText } from './channel.ts'
import { cutEscaped, cutLine } from './cut-text.ts'

const textCharactersMax = 4_096
const titleCharactersMax = 500
const valueCharactersMax = 200
const lineCharactersMax = 250

export const telegramRequest: Channel<'telegram'> = (target, { shown, urls }) => {
  const { headline, title, reason, facts, lines, more, url } = shown
  const parts = [
    `<b>${escaped(headline, valueCharactersMax)}</b>`,
    escaped(title, titleCharactersMax),
    url === undefined ? undefined : linkTo(url, 'Open in Sluice'),
    escaped(reason, titleCharactersMax),
    ...facts.map(([label, value]) => `${label}: ${escaped(value, valueCharactersMax)}`),
    ...lines.map((line) => {
      const text = [line.text, line.reason].filter(Boolean).join(': ')
      const open = line.url === undefined ? '' : ` ${linkTo(line.url, 'Open')}`
      return `• ${escaped(text, lineCharactersMax)}${open}`
    }),
    moreText(more),
  ]
  // The colon of a token stays; nothing else of it may change the path.
  const token = target.bot_token.split(':').map(encodeURIComponent).join(':')
  return jsonRequest(urlBelow(urls.telegram, `/bot${token}/sendMessage`), {
    chat_id: target.chat_id,
    text: joinWithin(parts, textCharactersMax),
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
  })
}

function linkTo(url: string, text: string): string {
  return `<a href="${escapeHtml(url)}">${text}</a>`
}

/** A word joiner after `@`, so that Telegram finds no user to notify. */
function escaped(text: string, charactersMax: number): string {
  return cutEscaped(cutLine(text, charactersMax), charactersMax, (part) =>
    escapeHtml(part).replaceAll('@', '@\u2060'),
  )
}

const escapeHtml = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
