/**
 * PagerDuty's Events API v2 (developer.pagerduty.com/docs/events-api-v2). Notifications about one
 * issue or monitor have one `dedup_key`, so they update one alert; a recovery resolves it.
 */
import { urlBelow } from '#platform/http/url-below.ts'
import { type Channel, jsonRequest } from './channel.ts'
import { cutLine } from './cut-text.ts'

const summaryCharactersMax = 1_024
const keyCharactersMax = 255
const sourceCharactersMax = 255
const valueCharactersMax = 500

const severities = { fatal: 'critical', error: 'error', warning: 'warning', info: 'info' }

export const pagerdutyRequest: Channel<'pagerduty'> = (target, { shown, urls }) => {
  const url = urlBelow(urls.pagerduty, '/v2/enqueue')
  const event = {
    routing_key: target.routing_key,
    dedup_key: cutLine(`sluice:${shown.subject}`, keyCharactersMax),
  }
  if (shown.isRecovery) return jsonRequest(url, { ...event, event_action: 'resolve' })
  const { headline, title, reason, facts, lines, level, type, at } = shown
  const summary = [headline, title || reason].filter(Boolean).join(': ')
  const time = new Date(at)
  return jsonRequest(url, {
    ...event,
    event_action: 'trigger',
    client: 'Sluice',
    ...(shown.url === undefined
      ? {}
      : { client_url: shown.url, links: [{ href: shown.url, text: 'Open in Sluice' }] }),
    payload: {
      summary: cutLine(summary, summaryCharactersMax),
      source: cutLine(shown.projectName, sourceCharactersMax) || 'Sluice',
      severity: severities[level],
      class: type,
      ...(Number.isNaN(time.getTime()) ? {} : { timestamp: time.toISOString() }),
      custom_details: {
        reason: cutLine(reason, valueCharactersMax),
        ...Object.fromEntries(
          facts.map(([label, value]) => [label.toLowerCase(), cutLine(value, valueCharactersMax)]),
        ),
        ...(lines.length === 0
          ? {}
          : {
              notifications: lines.map((line) =>
                cutLine(`${line.text}: ${line.reason}`, valueCharactersMax),
              ),
              more: shown.more,
            }),
      },
    },
  })
}
