/**
 * Slack incoming webhooks with blocks (docs.slack.dev: Incoming webhooks, Block Kit). Texts of
 * others are `plain_text`, which has neither formatting nor mentions; `&`, `<` and `>` are escaped
 * everywhere, as Slack asks.
 */
import type { ShownNotification } from '../shown-notification.ts'
import { type Channel, jsonRequest, moreText } from './channel.ts'
import { cutEscaped, cutLine } from './cut-text.ts'

const headerCharactersMax = 150
const fieldsMax = 10
const titleCharactersMax = 500
const valueCharactersMax = 200
const fallbackCharactersMax = 500

export const slackRequest: Channel<'slack'> = ({ url }, { shown }) =>
  jsonRequest(url, {
    text: escaped(`${shown.headline}: ${shown.title || shown.reason}`, fallbackCharactersMax),
    blocks: blocksOf(shown),
    unfurl_links: false,
    unfurl_media: false,
  })

function blocksOf({ headline, title, reason, facts, lines, more, url }: ShownNotification) {
  const rest = moreText(more)
  return [
    { type: 'header', text: plain(headline, headerCharactersMax) },
    ...sectionOf(title),
    ...sectionOf(reason),
    ...(facts.length === 0
      ? []
      : [
          {
            type: 'section',
            fields: facts
              .slice(0, fieldsMax)
              .map(([label, value]) => plain(`${label}: ${value}`, valueCharactersMax)),
          },
        ]),
    ...lines.map((line) => ({
      type: 'section',
      fields: [
        plain([line.text, line.reason].filter(Boolean).join(': '), titleCharactersMax),
        ...(line.url === undefined ? [] : [link(line.url)]),
      ],
    })),
    ...(rest === undefined ? [] : sectionOf(rest)),
    ...(url === undefined ? [] : [{ type: 'section', text: link(url) }]),
  ]
}

function sectionOf(text: string) {
  return text === '' ? [] : [{ type: 'section', text: plain(text, titleCharactersMax) }]
}

/** A text object may not be empty. */
function plain(text: string, charactersMax: number) {
  return { type: 'plain_text', text: escaped(text, charactersMax) || '-', emoji: false }
}

/** A link that a button would not need an interactive app for. */
function link(url: string) {
  const target = url.replace(/[<>|]/g, encodeURIComponent).replaceAll('&', '&amp;')
  return { type: 'mrkdwn', text: `<${target}|Open in Sluice>`, verbatim: true }
}

function escaped(text: string, charactersMax: number): string {
  return cutEscaped(cutLine(text, charactersMax), charactersMax, (part) =>
    part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  )
}
