/**
 * Removes the secrets of a target from the answer of its receiver, before it is kept in the log:
 * many servers quote the path of a request that they do not know, and its path is the secret of an
 * incoming webhook.
 */
import type { RequestTarget } from '../notifications/channels/channel-request.ts'

const hidden = '…'
const longCharactersMin = 16
const charactersMin = 8

export function hideSecrets(text: string, target: RequestTarget): string {
  let shown = text
  for (const secret of secretsOf(target)) shown = shown.replaceAll(secret, hidden)
  return shown
}

/** Longest first, because one may be a part of another. */
function secretsOf(target: RequestTarget): string[] {
  return [...new Set(writtenSecretsOf(target).flatMap(spellingsOf))].sort(
    (a, b) => b.length - a.length,
  )
}

function writtenSecretsOf(target: RequestTarget): readonly string[] {
  switch (target.type) {
    case 'webhook':
      // Its URL is shown, and the secret that signs is never sent.
      return []
    case 'slack':
    case 'discord':
    case 'teams': {
      const { pathname, searchParams } = new URL(target.url)
      return [...pathname.split('/'), ...searchParams.values()].filter(isSecret)
    }
    case 'telegram':
      return [target.bot_token, target.bot_token.split(':')[1] ?? '']
    case 'ntfy':
      return target.token === undefined ? [] : [target.token]
    case 'pagerduty':
      return [target.routing_key]
    case 'opsgenie':
      return [target.api_key]
  }
}

/** Not the words that every URL of a service has, such as `webhooks`. */
function isSecret(part: string): boolean {
  return part.length >= longCharactersMin || (part.length >= charactersMin && /[0-9A-Z]/.test(part))
}

/** As it is, as in a URL, and as in a URL that was decoded. */
function spellingsOf(secret: string): string[] {
  const all = [secret, encodeURIComponent(secret)]
  try {
    all.push(decodeURIComponent(secret))
  } catch {
    // It is no encoded text.
  }
  return all.filter((text) => text !== '')
}
