import type { NormalizedEvent } from '../../normalize/event.ts'

/** The value of a tag; also of what an event has beside its tags and shows as one. */
export function tagValue(event: NormalizedEvent, key: string): string {
  const sent = event.tags.find(([name]) => name === key)?.[1]
  if (sent !== undefined) return sent
  switch (key) {
    case 'environment':
    case 'release':
    case 'level':
    case 'logger':
    case 'transaction':
    case 'component':
      return event[key]
    case 'server_name':
      return event.serverName
    default:
      return ''
  }
}
