/** Events in ClickHouse, newest first by the time of receipt. */
import type { EventId, ProjectId } from '#schemas/ids.ts'
import { dashed } from '#schemas/ids.ts'
import type { EventListQuery } from '#schemas/rest/event.ts'
import type { ClickHouse } from '../database.ts'
import { isOneOfHashes, joinHashes } from '../issues/hash-list.ts'
import { type EventSearch, narrowed } from '../search/event-search.ts'
import { derivedTagColumn } from './derived-tags.ts'
import { daysOf, instant, readSlices, type Spread } from './read-slices.ts'

/** A row as ClickHouse returns it; an empty string means absent. */
export interface StoredEvent {
  readonly event_id: string
  readonly fingerprint: string
  readonly occurred_at: string
  readonly received_at: string
  readonly received_at_ms: number
  readonly level: string
  readonly title: string
  readonly release: string
  readonly environment: string
  readonly component: string
  readonly user_id: string
  readonly user_email: string
  readonly user_name: string
  readonly user_ip: string
  readonly tags: Record<string, string>
  readonly derived: readonly string[]
  readonly stands_for: number
}

export interface StoredEventDetail extends StoredEvent {
  readonly platform: string
  readonly culprit: string
  readonly exception_type: string
  readonly logger: string
  readonly dist: string
  readonly server_name: string
  readonly sdk: string
  readonly grouping: string
  readonly payload: string
}

export interface EventFilter
  extends Pick<
    EventListQuery,
    'level' | 'environment' | 'release' | 'component' | 'since' | 'until'
  > {
  readonly search: EventSearch | undefined
}

export interface IssueEvents {
  readonly hashes: readonly string[]
  /** Undefined: nothing is known about when they were received. */
  readonly spread: Spread | undefined
}

/** The position of an event in lists. */
export interface EventPosition {
  readonly receivedAtMs: number
  readonly eventId: string
}

const listColumns = `event_id, fingerprint, occurred_at, received_at,
  toUnixTimestamp64Milli(received_at) as received_at_ms, level, title, release, environment,
  component, user_id, user_email, user_name, user_ip, tags, ${derivedTagColumn},
  length(sampled_ids) as stands_for`

const position = '(received_at, event_id)'
const givenPosition = '(fromUnixTimestamp64Milli({at:Int64}), {id:UUID})'

export async function listEvents(
  clickhouse: ClickHouse,
  list: {
    projectId: ProjectId
    filter: EventFilter
    /** Only its events. */
    issue: IssueEvents | undefined
    after: EventPosition | undefined
    limit: number
    nowMs: number
  },
): Promise<StoredEvent[]> {
  const { conditions, parameters } = eventConditions(list)
  if (list.issue !== undefined) {
    conditions.push(isOneOfHashes)
    parameters.hashes = joinHashes(list.issue.hashes)
  }
  if (list.after !== undefined) {
    conditions.push(`${position} < ${givenPosition}`)
    parameters.at = list.after.receivedAtMs
    parameters.id = list.after.eventId
  }
  const { until } = list.filter
  const newestMs = Math.min(
    list.after?.receivedAtMs ?? list.nowMs,
    until === undefined ? list.nowMs : Date.parse(until),
    list.issue?.spread?.lastMs ?? list.nowMs,
  )
  const { limit, nowMs } = list
  const days = daysOf(list.issue?.spread, limit)
  return readSlices({ startMs: newestMs, towards: 'older', limit, days, nowMs }, (slice, left) =>
    clickhouse.select<StoredEvent>(
      `select ${listColumns} from events where ${[...conditions, ...slice.conditions].join(' and ')}
       order by received_at desc, event_id desc limit {limit:UInt32}`,
      { ...narrowed(parameters, slice.sinceMs), limit: left },
    ),
  )
}

export async function findEvent(
  clickhouse: ClickHouse,
  event: { projectId: ProjectId; eventId: EventId; receivedAtMs?: number | undefined },
): Promise<StoredEventDetail | undefined> {
  const { receivedAtMs } = event
  const at = receivedAtMs === undefined ? '' : `and received_at = ${instant(receivedAtMs)}`
  const rows = await clickhouse.select<StoredEventDetail>(
    `select ${listColumns}, platform, culprit, exception_type, logger, dist, server_name, sdk,
       grouping, payload
     from events where project_id = {project:UInt64} and event_id = {id:UUID} ${at} limit 1`,
    { project: event.projectId, id: dashed(event.eventId) },
  )
  return rows[0]
}

/** Ids of events. */
export interface Neighbours {
  readonly previous: string | null
  readonly next: string | null
}

/** The events directly before and after one event of an issue. */
export async function findNeighbours(
  clickhouse: ClickHouse,
  event: {
    readonly projectId: ProjectId
    readonly issue: IssueEvents
    readonly position: EventPosition
    readonly nowMs: number
  },
): Promise<Neighbours> {
  const { projectId, issue, position: at, nowMs } = event
  const days = daysOf(issue.spread, 1)
  const side = async (towards: 'older' | 'newer') => {
    const [comparison, order] = towards === 'older' ? ['<', 'desc'] : ['>', 'asc']
    const search = { startMs: at.receivedAtMs, towards, limit: 1, days, nowMs }
    const [found] = await readSlices(search, ({ conditions }) =>
      clickhouse.select<{ event_id: string }>(
        `select event_id from events
         where project_id = {project:UInt64} and ${isOneOfHashes}
           and ${[`${position} ${comparison} ${givenPosition}`, ...conditions].join(' and ')}
         order by received_at ${order}, event_id ${order} limit 1`,
        {
          project: projectId,
          hashes: joinHashes(issue.hashes),
          at: at.receivedAtMs,
          id: at.eventId,
        },
      ),
    )
    return found?.event_id ?? null
  }
  const [previous, next] = await Promise.all([side('older'), side('newer')])
  return { previous, next }
}

/** Each filter is bound to a parameter of its name. */
type EventParameters = { project: ProjectId } & Partial<
  Record<'level' | 'environment' | 'release' | 'component' | 'hashes' | 'id', string> &
    Record<'since' | 'until' | 'at', number>
> &
  EventSearch['parameters']

export function eventConditions(list: { projectId: ProjectId; filter: EventFilter }): {
  conditions: string[]
  parameters: EventParameters
} {
  const { search, since, until, ...equal } = list.filter
  const conditions = ['project_id = {project:UInt64}']
  const parameters: EventParameters = { project: list.projectId, ...search?.parameters }
  for (const column of ['level', 'environment', 'release', 'component'] as const) {
    if (equal[column] === undefined) continue
    conditions.push(`${column} = {${column}:String}`)
    parameters[column] = equal[column]
  }
  if (search !== undefined) conditions.push(...search.conditions)
  if (since !== undefined) {
    conditions.push('received_at >= fromUnixTimestamp64Milli({since:Int64})')
    parameters.since = Date.parse(since)
  }
  if (until !== undefined) {
    conditions.push('received_at < fromUnixTimestamp64Milli({until:Int64})')
    parameters.until = Date.parse(until)
  }
  return { conditions, parameters }
}
