import { type EventId, type ProjectId, undashed } from '#schemas/ids.ts'
import type { EventDetail } from '#schemas/rest/event.ts'
import type { IssueEventPlace } from '#schemas/rest/issue-insights.ts'
import type { ApiContext } from '../../context.ts'
import type { ClickHouse } from '../../database.ts'
import { getEvent } from '../../events/get-event.ts'
import { daysOf, readSlices, spreadOf } from '../../events/read-slices.ts'
import type { StoredProject } from '../../projects/project-store.ts'
import { isOneOfHashes, joinHashes } from '../hash-list.ts'
import type { StoredIssue } from '../issue-store.ts'

/** The newest events among which the recommended one is chosen. */
const recommendedOfMax = 10

type PlacedIssue = Pick<StoredIssue, 'hashes' | 'first_seen' | 'last_seen' | 'count'>

interface Place {
  readonly event_id: string
  readonly received_at_ms: number
  /** What helps most to understand it: who, where, and what the program noted. */
  readonly facts: number
}

const placeColumns = `event_id, toUnixTimestamp64Milli(received_at) as received_at_ms,
  (user_id != '' or user_email != '' or user_name != '') + (release != '') + (environment != '')
    + notEmpty(tags) as facts`

/** Undefined if no event of the issue is stored any more. */
export async function getIssueEvent(
  ctx: ApiContext,
  project: StoredProject,
  { issue, place }: { readonly issue: PlacedIssue; readonly place: IssueEventPlace },
): Promise<EventDetail | undefined> {
  const projectId = project.dsnId
  const nowMs = ctx.clock.nowMs()
  const chosenOf = place === 'recommended' ? recommendedOfMax : 1
  // One more is the neighbour of the last one.
  const lookup = { projectId, issue, nowMs, isOldest: place === 'oldest', limit: chosenOf + 1 }
  const rows = await readEnd(ctx.clickhouse, lookup)
  const index = mostFacts(rows.slice(0, chosenOf))
  const chosen = rows[index]
  if (chosen === undefined) return undefined
  const [before, after] = [idAt(rows, index - 1), idAt(rows, index + 1)]
  return getEvent(project, undashed(chosen.event_id) as EventId, ctx, {
    receivedAtMs: chosen.received_at_ms,
    neighbours: lookup.isOldest
      ? { previous: before, next: after }
      : { previous: after, next: before },
  })
}

/** The events at one end, from there on. */
async function readEnd(
  clickhouse: ClickHouse,
  {
    projectId,
    issue,
    isOldest,
    limit,
    nowMs,
  }: {
    readonly projectId: ProjectId
    readonly issue: PlacedIssue
    readonly isOldest: boolean
    readonly limit: number
    readonly nowMs: number
  },
): Promise<Place[]> {
  const spread = spreadOf(issue)
  const order = isOldest ? 'received_at, event_id' : 'received_at desc, event_id desc'
  return readSlices(
    {
      startMs: isOldest ? spread.firstMs : Math.min(spread.lastMs, nowMs),
      towards: isOldest ? 'newer' : 'older',
      ...{ limit, days: daysOf(spread, limit), nowMs },
    },
    ({ conditions }, left) =>
      clickhouse.select<Place>(
        `select ${placeColumns} from events
         where ${['project_id = {project:UInt64}', isOneOfHashes, ...conditions].join(' and ')}
         order by ${order} limit {limit:UInt32}`,
        { project: projectId, hashes: joinHashes(issue.hashes), limit: left },
      ),
  )
}

function idAt(rows: readonly Place[], index: number): string | null {
  return rows[index]?.event_id ?? null
}

/** The index of the first that has most facts. */
function mostFacts(rows: readonly Place[]): number {
  return rows.reduce((best, row, index) => (row.facts > rows[best]!.facts ? index : best), 0)
}
