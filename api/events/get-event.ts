/** One stored event, with the events before and after it in its issue. */
import { type EventId, undashed } from '#schemas/ids.ts'
import type { EventDetail } from '#schemas/rest/event.ts'
import type { ApiContext } from '../context.ts'
import { findIssue, findOwners } from '../issues/issue-store.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { findEvent, findNeighbours, type StoredEventDetail } from './event-store.ts'
import { eventItem } from './event-view.ts'

export async function getEvent(
  project: StoredProject,
  eventId: EventId,
  ctx: ApiContext,
): Promise<EventDetail | undefined> {
  const projectId = project.dsnId
  const event = await findEvent(ctx.clickhouse, { projectId, eventId })
  if (event === undefined) return undefined
  const owners = await findOwners(ctx.pg, { projectId, hashes: [event.fingerprint] })
  const issueId = owners.get(event.fingerprint)
  const issue = issueId && (await findIssue(ctx.pg, { projectId, id: issueId }))
  const neighbours = await findNeighbours(ctx.clickhouse, {
    projectId,
    // Without an issue, the neighbours are the events with the same grouping hash.
    hashes: issue ? issue.hashes : [event.fingerprint],
    position: { receivedAtMs: event.received_at_ms, eventId: event.event_id },
  })
  return {
    ...eventItem(event, issueId),
    ...detailsOf(event),
    previous_event_id: neighbours.previous && undashed(neighbours.previous),
    next_event_id: neighbours.next && undashed(neighbours.next),
  }
}

function detailsOf(event: StoredEventDetail) {
  return {
    culprit: event.culprit,
    platform: event.platform,
    exception_type: event.exception_type || null,
    logger: event.logger || null,
    dist: event.dist || null,
    server_name: event.server_name || null,
    sdk: event.sdk || null,
    fingerprint: undashed(event.fingerprint),
    grouping: parseStored(event.grouping),
    payload: parseStored(event.payload),
  }
}

/** Workers write JSON. If the text is not JSON, the event is shown without it. */
function parseStored(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}
