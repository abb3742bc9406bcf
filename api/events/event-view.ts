/**
 * An event as the API shows it. ClickHouse columns are never null: an empty string means absent.
 */
import { undashed } from '#schemas/ids.ts'
import type { EventItem } from '#schemas/rest/event.ts'
import { allTags } from './derived-tags.ts'
import type { StoredEvent } from './event-store.ts'

export function eventItem(event: StoredEvent, issueId: string | undefined): EventItem {
  const { tags, derivedNames } = allTags(event)
  return {
    id: undashed(event.event_id),
    issue_id: issueId ?? null,
    title: event.title,
    level: event.level,
    timestamp: event.occurred_at,
    received_at: event.received_at,
    release: event.release || null,
    environment: event.environment || null,
    component: event.component || null,
    user: userOf(event),
    tags,
    derived_tags: derivedNames,
    stands_for: event.stands_for,
  }
}

function userOf(event: StoredEvent): EventItem['user'] {
  const user = {
    id: event.user_id || null,
    email: event.user_email || null,
    name: event.user_name || null,
    ip: event.user_ip || null,
  }
  return Object.values(user).some((value) => value !== null) ? user : null
}
