/**
 * Fills the contexts `browser`, `os` and `device` from the header `User-Agent` of the event's
 * request where the client did not send them. A program on a server describes its own system in
 * `os`, so the system of the person who sent the request is `client_os` there.
 */
import type { Draft } from '../draft.ts'
import type { StoredRequest } from '../stored-event.ts'
import type { JsonValue, StoredData } from '../values/bound-value.ts'
import { readUserAgent } from './read-user-agent.ts'

export function describeUserAgent({ event, stored }: Draft): void {
  const text = userAgentOf(stored.request)
  if (text === undefined) return
  const { browser, os, device } = readUserAgent(text)
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

function userAgentOf(request: StoredRequest | undefined): string | undefined {
  const pair = request?.headers?.find(
    ([name]) => name.length === 10 && name.toLowerCase() === 'user-agent',
  )
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
