/** One stored event, with the events before and after it in its issue. */
import { type EventId, type ProjectId, undashed } from '#schemas/ids.ts'
import type { EventDetail } from '#schemas/rest/event.ts'
import type { ApiContext } from '../context.ts'
import { findIssue, findOwners } from '../issues/issue-store.ts'
import type { StoredProject } from '../projects/project-store.ts'
import {
  findEvent,
  findNeighbours,
  type Neighbours,
  type StoredEventDetail,
} from './event-store.ts'
import { eventItem } from './event-view.ts'
import { spreadOf } from './read-slices.ts'

/** What is known of an event before it is read. */
export interface KnownPlace {
  readonly receivedAtMs: number
  readonly neighbours: Neighbours
}

export async function getEvent(
  project: StoredProject,
  eventId: EventId,
  ctx: ApiContext,
  known?: KnownPlace,
): Promise<EventDetail | undefined> {
  const projectId = project.dsnId
  const event = await findEvent(ctx.clickhouse, {
    ...{ projectId, eventId },
    receivedAtMs: known?.receivedAtMs,
  })
  if (event === undefined) return undefined
  const owners = await findOwners(ctx.pg, { projectId, hashes: [event.fingerprint] })
  const issueId = owners.get(event.fingerprint)
  const neighbours = known?.neighbours ?? (await readNeighbours(ctx, projectId, event, issueId))
  return {
    ...eventItem(event, issueId),
    ...detailsOf(event),
    previous_event_id: neighbours.previous && undashed(neighbours.previous),
    next_event_id: neighbours.next && undashed(neighbours.next),
  }
}

async function readNeighbours(
  ctx: ApiContext,
  projectId: ProjectId,
  event: StoredEventDetail,
  issueId: string | undefined,
): Promise<Neighbours> {
  const issue = issueId && (await findIssue(ctx.pg, { projectId, id: issueId }))
  return findNeighbours(ctx.clickhouse, {
    projectId,
    // Without an issue, the neighbours are the events with the same grouping hash.
    issue: issue
      ? { hashes: issue.hashes, spread: spreadOf(issue) }
      : { hashes: [event.fingerprint], spread: undefined },
    position: { receivedAtMs: event.received_at_ms, eventId: event.event_id },
    nowMs: ctx.clock.nowMs(),
  })
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
