/** Events in ClickHouse, newest first by the time of receipt. */
import type { EventId, ProjectId } from '#schemas/ids.ts'
import { dashed } from '#schemas/ids.ts'
import type { EventListQuery } from '#schemas/rest/event.ts'
import type { ClickHouse } from '../database.ts'
import { isOneOfHashes, joinHashes } from '../issues/hash-list.ts'
import { type EventSearch, narrowed } from '../search/event-search.ts'
import { derivedTagColumn } from './derived-tags.ts'

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

/**
 * Days before the newest possible event that are searched first. Most pages are full after a day,
 * and a page never reads the same events twice.
 */
const sliceDays = [1, 8, 32] as const
const dayMs = 86_400_000

export async function listEvents(
  clickhouse: ClickHouse,
  list: {
    projectId: ProjectId
    filter: EventFilter
    /** Only events with one of these hashes. */
    hashes: readonly string[] | undefined
    after: EventPosition | undefined
    limit: number
    nowMs: number
  },
): Promise<StoredEvent[]> {
  const { conditions, parameters } = eventConditions(list)
  if (list.hashes !== undefined) {
    conditions.push(isOneOfHashes)
    parameters.hashes = joinHashes(list.hashes)
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
  )
  return readSlices({ newestMs, limit: list.limit }, ({ slice, startMs }, limit) =>
    clickhouse.select<StoredEvent>(
      `select ${listColumns} from events where ${[...conditions, ...slice].join(' and ')}
       order by received_at desc, event_id desc limit {limit:UInt32}`,
      { ...narrowed(parameters, startMs), limit },
    ),
  )
}

/** Reads slices of time, newest first, until the page is full. */
async function readSlices<Row>(
  { newestMs, limit }: { newestMs: number; limit: number },
  read: (
    span: { slice: readonly string[]; startMs: number | undefined },
    limit: number,
  ) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  let before: string[] = []
  for (const days of [...sliceDays, undefined]) {
    const startMs = days === undefined ? undefined : newestMs - days * dayMs
    const from = startMs === undefined ? [] : [`received_at >= ${instant(startMs)}`]
    const span = { slice: [...before, ...from], startMs }
    rows.push(...(await read(span, limit - rows.length)))
    if (rows.length >= limit || startMs === undefined) break
    before = [`received_at < ${instant(startMs)}`]
  }
  return rows
}

export function instant(ms: number): string {
  return `fromUnixTimestamp64Milli(toInt64(${Math.trunc(ms)}))`
}

export async function findEvent(
  clickhouse: ClickHouse,
  event: { projectId: ProjectId; eventId: EventId },
): Promise<StoredEventDetail | undefined> {
  const rows = await clickhouse.select<StoredEventDetail>(
    `select ${listColumns}, platform, culprit, exception_type, logger, dist, server_name, sdk,
       grouping, payload
     from events where project_id = {project:UInt64} and event_id = {id:UUID} limit 1`,
    { project: event.projectId, id: dashed(event.eventId) },
  )
  return rows[0]
}

/** The events directly before and after one event, among those with the given hashes. */
export async function findNeighbours(
  clickhouse: ClickHouse,
  event: { projectId: ProjectId; hashes: readonly string[]; position: EventPosition },
): Promise<{ previous: string | null; next: string | null }> {
  const { receivedAtMs } = event.position
  const side = async (comparison: '<' | '>', order: 'asc' | 'desc') => {
    // First the day beside the event.
    const [near, far] =
      comparison === '<'
        ? [
            `received_at between ${instant(receivedAtMs - dayMs)} and ${instant(receivedAtMs)}`,
            `received_at < ${instant(receivedAtMs - dayMs)}`,
          ]
        : [
            `received_at between ${instant(receivedAtMs)} and ${instant(receivedAtMs + dayMs)}`,
            `received_at > ${instant(receivedAtMs + dayMs)}`,
          ]
    const read = (slice: string) =>
      clickhouse.select<{ event_id: string }>(
        `select event_id from events
         where project_id = {project:UInt64} and ${isOneOfHashes}
           and ${position} ${comparison} ${givenPosition} and ${slice}
         order by received_at ${order}, event_id ${order} limit 1`,
        {
          project: event.projectId,
          hashes: joinHashes(event.hashes),
          at: receivedAtMs,
          id: event.position.eventId,
        },
      )
    const found = await read(near)
    return found.length > 0 ? found : read(far)
  }
  const [before, after] = await Promise.all([side('<', 'desc'), side('>', 'asc')])
  return { previous: before[0]?.event_id ?? null, next: after[0]?.event_id ?? null }
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
