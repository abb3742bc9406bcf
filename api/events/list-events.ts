/** One page of events, of a project or of one issue. */
import { z } from 'zod'
import type { EventItem, EventListQuery } from '#schemas/rest/event.ts'
import type { ApiContext } from '../context.ts'
import { CursorUuid, decodeCursor, type Page, pageOfRows } from '../http/cursor.ts'
import { findOwners, type StoredIssue } from '../issues/issue-store.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { eventSearch } from '../search/event-search.ts'
import { readSearch } from '../search/search-error.ts'
import { readSearchFacts } from '../search/search-facts.ts'
import { listEvents } from './event-store.ts'
import { eventItem } from './event-view.ts'
import { spreadOf } from './read-slices.ts'

type ListedIssue = Pick<StoredIssue, 'hashes' | 'first_seen' | 'last_seen' | 'count'>

const Position = z.tuple([z.int().min(0), CursorUuid])

export async function listEventPage(
  project: StoredProject,
  list: EventListQuery & { issue?: ListedIssue },
  ctx: ApiContext,
): Promise<Page<EventItem>> {
  const after = decodeCursor(list.cursor, Position)
  const nodes = readSearch(list.query)
  const searching = { project, personId: undefined, since: list.since }
  const search = eventSearch(nodes, await readSearchFacts(nodes, searching, ctx))
  const rows = await listEvents(ctx.clickhouse, {
    projectId: project.dsnId,
    filter: { ...list, search },
    issue: list.issue && { hashes: list.issue.hashes, spread: spreadOf(list.issue) },
    after: after && { receivedAtMs: after[0], eventId: after[1] },
    limit: list.limit + 1,
    nowMs: ctx.clock.nowMs(),
  })
  const page = pageOfRows(rows, list.limit, (row) => [row.received_at_ms, row.event_id])
  const hashes = [...new Set(page.items.map((row) => row.fingerprint))]
  const owners = await findOwners(ctx.pg, { projectId: project.dsnId, hashes })
  return {
    items: page.items.map((row) => eventItem(row, owners.get(row.fingerprint))),
    next_cursor: page.next_cursor,
  }
}
