/**
 * Opsgenie's Alert API (docs.opsgenie.com/docs/alert-api). Notifications about one issue or monitor
 * have one `alias`, so an open alert counts them; a recovery closes it.
 */
import { urlBelow } from '#platform/http/url-below.ts'
import { type Channel, joinWithin, jsonRequest, moreText } from './channel.ts'
import { cutLine } from './cut-text.ts'

const messageCharactersMax = 130
const aliasCharactersMax = 512
const descriptionCharactersMax = 15_000
const valueCharactersMax = 500
const entityCharactersMax = 512
const tagCharactersMax = 50

const regions = { us: 'https://api.opsgenie.com', eu: 'https://api.eu.opsgenie.com' }
const priorities = { fatal: 'P1', error: 'P2', warning: 'P3', info: 'P5' }

export const opsgenieRequest: Channel<'opsgenie'> = ({ api_key, region }, { shown, urls }) => {
  const base = urls.opsgenie ?? regions[region]
  const headers = { authorization: `GenieKey ${api_key}` }
  const alias = cutLine(`sluice:${shown.subject}`, aliasCharactersMax)
  if (shown.isRecovery) {
    const path = `/v2/alerts/${encodeURIComponent(alias)}/close?identifierType=alias`
    const note = cutLine(shown.reason || shown.headline, valueCharactersMax)
    return jsonRequest(urlBelow(base, path), { source: 'Sluice', note }, headers)
  }
  const { headline, title, reason, facts, lines, more, level, type, url } = shown
  const details = [...facts, ...(url === undefined ? [] : ([['Link', url]] as const))]
  return jsonRequest(
    urlBelow(base, '/v2/alerts'),
    {
      message: cutLine(title || headline, messageCharactersMax),
      alias,
      description: joinWithin(
        [
          cutLine(headline, valueCharactersMax),
          cutLine(title, valueCharactersMax),
          cutLine(reason, valueCharactersMax),
          url,
          ...lines.map((line) => cutLine(`${line.text}: ${line.reason}`, valueCharactersMax)),
          moreText(more),
        ],
        descriptionCharactersMax,
      ),
      details: Object.fromEntries(
        details.map(([label, value]) => [label, cutLine(value, valueCharactersMax)]),
      ),
      entity: cutLine(shown.projectName, entityCharactersMax),
      tags: [cutLine(type, tagCharactersMax)],
      source: 'Sluice',
      priority: priorities[level],
    },
    headers,
  )
}
