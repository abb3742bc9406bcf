/**
 * Discord webhooks with one embed (discord.com/developers: Execute Webhook, Embed Limits). With
 * `wait` Discord answers only when the message is stored, and reports errors. Nobody is mentioned
 * by any text, and their Markdown is escaped.
 */
import type { ShownNotification } from '../shown-notification.ts'
import { type Channel, joinWithin, jsonRequest, moreText } from './channel.ts'
import { cutEscaped, cutLine } from './cut-text.ts'

const titleCharactersMax = 256
const descriptionCharactersMax = 4_096
const valueCharactersMax = 100
const reasonCharactersMax = 300
const lineCharactersMax = 120
const lineReasonCharactersMax = 80
/** Longer links are left out of the lines of a digest, so that all of them fit. */
const lineUrlCharactersMax = 150

const colors = { fatal: 0x7d1f1f, error: 0xd93a3a, warning: 0xe0a030, info: 0x3a7bd9 }

export const discordRequest: Channel<'discord'> = ({ url }, { shown }) => {
  const withWait = new URL(url)
  withWait.searchParams.set('wait', 'true')
  return jsonRequest(withWait.href, {
    embeds: [embedOf(shown)],
    allowed_mentions: { parse: [] },
  })
}

function embedOf(shown: ShownNotification) {
  const { headline, title, reason, facts, lines, more, url, level, at } = shown
  const description = [
    escaped(title, titleCharactersMax),
    escaped(reason, reasonCharactersMax),
    ...lines.map((line) => {
      const text = escaped(line.text, lineCharactersMax)
      const why = escaped(line.reason, lineReasonCharactersMax)
      return `• ${[text, why, linkOf(line.url)].filter(Boolean).join(' ')}`
    }),
    moreText(more),
  ]
  const time = new Date(at)
  return {
    title: escaped(headline, titleCharactersMax),
    description: joinWithin(description, descriptionCharactersMax) || '-',
    color: colors[level],
    fields: facts.map(([name, value]) => ({
      name,
      value: escaped(value, valueCharactersMax) || '-',
      inline: true,
    })),
    ...(url === undefined ? {} : { url }),
    ...(Number.isNaN(time.getTime()) ? {} : { timestamp: time.toISOString() }),
  }
}

function linkOf(url: string | undefined): string {
  if (url === undefined || lineUrlCharactersMax < url.length) return ''
  return `[Open](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`
}

/** A backslash before every character that has a meaning in Discord's Markdown. */
function escaped(text: string, charactersMax: number): string {
  return cutEscaped(cutLine(text, charactersMax), charactersMax, (part) =>
    part.replace(/[\\`*_~|>#[\]()<@:-]/g, '\\$&'),
  )
}
