/**
 * Fills the contexts `browser`, `os` and `device` from the headers `User-Agent` and `Sec-CH-UA…` of
 * the event's request where the client did not send them. A program on a server describes its own
 * system in `os`, so the system of the person who sent the request is `client_os` there.
 */
import type { Draft } from '../draft.ts'
import type { StoredRequest } from '../stored-event.ts'
import type { JsonValue, StoredData } from '../values/bound-value.ts'
import { withClientHints } from './read-client-hints.ts'
import { readUserAgent, type UserAgent } from './read-user-agent.ts'

export function describeUserAgent({ event, stored }: Draft): void {
  const headers = stored.request?.headers
  if (headers === undefined) return
  const text = userAgentOf(headers)
  const read = text === undefined ? nothing : readUserAgent(text)
  const { browser, os, device } = withClientHints(read, headers)
  const system = event.platform === 'javascript' ? 'os' : 'client_os'
  const found: readonly (readonly [name: string, context: object | undefined])[] = [
    ['browser', browser],
    [system, os],
    ['device', device],
  ]
  let contexts: Record<string, JsonValue> | undefined
  for (const [name, context] of found) {
    if (context === undefined || isDescribed(stored.contexts?.[name])) continue
    contexts ??= { ...stored.contexts }
    contexts[name] = contextOf(name, context)
  }
  if (contexts !== undefined) stored.contexts = contexts
}

const nothing: UserAgent = { browser: undefined, os: undefined, device: undefined }

function userAgentOf(headers: NonNullable<StoredRequest['headers']>): string | undefined {
  const pair = headers.find(([name]) => name.length === 10 && name.toLowerCase() === 'user-agent')
  return pair === undefined || pair[1] === '' ? undefined : pair[1]
}

/** Every context has its type; with nothing else in it, the client has said nothing. */
function isDescribed(context: JsonValue | undefined): boolean {
  return typeof context === 'object' && context !== null && Object.keys(context).length > 1
}

function contextOf(name: string, facts: object): StoredData {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(known), type: name === 'client_os' ? 'os' : name }
}
