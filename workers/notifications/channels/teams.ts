/**
 * Microsoft Teams Workflows ("When a Teams webhook request is received") with an Adaptive Card. A
 * message has at most 28 KB. Texts of others are text runs, in which Markdown has no meaning.
 */
import type { ShownNotification } from '../shown-notification.ts'
import { type Channel, jsonRequest, moreText } from './channel.ts'
import { cutLine } from './cut-text.ts'

const headlineCharactersMax = 200
const titleCharactersMax = 400
const valueCharactersMax = 150
const lineCharactersMax = 300

export const teamsRequest: Channel<'teams'> = ({ url }, { shown }) =>
  jsonRequest(url, {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: cardOf(shown),
      },
    ],
  })

function cardOf({ headline, title, reason, facts, lines, more, url }: ShownNotification) {
  const rest = moreText(more)
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      paragraph(run(headline, headlineCharactersMax, { weight: 'Bolder', size: 'Medium' })),
      ...(title === '' ? [] : [paragraph(run(title, titleCharactersMax, { weight: 'Bolder' }))]),
      ...(reason === '' ? [] : [paragraph(run(reason, titleCharactersMax))]),
      ...facts.map(([label, value]) =>
        paragraph(
          run(`${label}: `, valueCharactersMax, { isSubtle: true }),
          run(value, valueCharactersMax),
        ),
      ),
      ...lines.map((line) => {
        const text = [line.text, line.reason].filter(Boolean).join(': ')
        const open = line.url === undefined ? {} : openUrl(line.url)
        return paragraph({ ...run(text, lineCharactersMax), ...open })
      }),
      ...(rest === undefined ? [] : [paragraph(run(rest, lineCharactersMax))]),
    ],
    actions: url === undefined ? [] : [{ type: 'Action.OpenUrl', title: 'Open in Sluice', url }],
  }
}

function paragraph(...inlines: readonly object[]) {
  return { type: 'RichTextBlock', inlines }
}

/** Spaces at the end separate a label from its value. */
function run(text: string, charactersMax: number, style: object = {}) {
  const space = text.endsWith(' ') ? ' ' : ''
  return { type: 'TextRun', text: `${cutLine(text, charactersMax)}${space}`, ...style }
}

function openUrl(url: string) {
  return { selectAction: { type: 'Action.OpenUrl', url } }
}
