import { isEventTag } from '#schemas/grouping/event-tags.ts'
import type { NormalizedEvent } from '../../normalize/event.ts'

/** The value of a tag; also of what an event has beside its tags and shows as one. */
export function tagValue(event: NormalizedEvent, key: string): string {
  const sent = event.tags.find(([name]) => name === key)?.[1]
  if (sent !== undefined) return sent
  if (!isEventTag(key)) return ''
  return key === 'server_name' ? event.serverName : event[key]
}
