/**
 * ntfy, published as JSON to the server of the topic's URL (docs.ntfy.sh/publish). A message of
 * more than 4,096 bytes would become an attachment. Without `markdown` texts have no markup.
 */
import { withoutSlashes } from '#platform/http/url-below.ts'
import type { ShownNotification } from '../shown-notification.ts'
import { type Channel, joinWithin, jsonRequest, moreText } from './channel.ts'
import { cutLine, cutToBytes } from './cut-text.ts'

const titleCharactersMax = 200
const valueCharactersMax = 200
const lineCharactersMax = 250
/** JSON may double them, and the server accepts a body of twice its limit. */
const messageBytesMax = 3_000

const priorities = { fatal: 5, error: 4, warning: 3, info: 3 }
const tags = { fatal: 'rotating_light', error: 'rotating_light', warning: 'warning', info: 'memo' }

export const ntfyRequest: Channel<'ntfy'> = ({ url, token }, { shown }) => {
  const topicUrl = new URL(url)
  const path = withoutSlashes(topicUrl.pathname)
  const slash = path.lastIndexOf('/')
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const server = `${topicUrl.origin}${path.slice(0, slash)}/`
  return jsonRequest(
    server,
    {
      topic: decodeURIComponent(path.slice(slash + 1)),
      title: cutLine(shown.headline, titleCharactersMax),
      message: cutToBytes(messageOf(shown) || shown.headline, messageBytesMax),
      priority: priorities[shown.level],
      tags: [shown.isRecovery ? 'white_check_mark' : tags[shown.level]],
      ...(shown.url === undefined ? {} : { click: shown.url }),
    },
    authorization,
  )
}

function messageOf({ title, reason, facts, lines, more }: ShownNotification): string {
  const parts = [
    cutLine(title, lineCharactersMax),
    cutLine(reason, lineCharactersMax),
    ...facts.map(([label, value]) => `${label}: ${cutLine(value, valueCharactersMax)}`),
    ...lines.map((line) =>
      cutLine(`• ${[line.text, line.reason].filter(Boolean).join(': ')}`, lineCharactersMax),
    ),
    moreText(more),
  ]
  return joinWithin(parts, messageBytesMax)
}
