/** Tags of events and their values, most frequent first. */
import type { ProjectId } from '#schemas/ids.ts'
import type { ClickHouse } from '../database.ts'
import { rowWeight } from '../issues/row-weight.ts'

/**
 * The hour since which the project got so many events, from the books; `sinceMs` if it got fewer.
 * Reading tags takes long, and the newest events have the values that people look for.
 */
export async function newestEventsSince(
  clickhouse: ClickHouse,
  lookup: { projectId: ProjectId; sinceMs: number; events: number },
): Promise<number> {
  const rows = await clickhouse.select<{ at: number }>(
    `select max(at) as at from (
       select toUnixTimestamp(hour) as at, sum(sum(quantity)) over (order by hour desc) as events
       from outcomes
       where project_id = {project:UInt64} and hour >= fromUnixTimestamp({since:Int64})
         and outcome = 'accepted' and category = 'error'
       group by hour
     ) where events >= {events:UInt64}`,
    {
      project: lookup.projectId,
      since: Math.floor(lookup.sinceMs / 1000),
      events: lookup.events,
    },
  )
  return Math.max(lookup.sinceMs, (rows[0]?.at ?? 0) * 1000)
}

interface Lookup {
  readonly projectId: ProjectId
  readonly sinceMs: number
  /** Case-insensitive. */
  readonly prefix: string
  readonly limit: number
}

const recent = `project_id = {project:UInt64}
  and received_at >= fromUnixTimestamp64Milli({since:Int64})`

export function listTagKeys(
  clickhouse: ClickHouse,
  lookup: Lookup,
): Promise<{ key: string; events: number }[]> {
  return clickhouse.select(
    `select key, sum(${rowWeight}) as events
     from events array join mapKeys(tags) as key
     where ${recent} and ${beginsWithPrefix('key')}
     group by key order by events desc, key limit {limit:UInt32}`,
    parametersOf(lookup),
  )
}

/**
 * @param text the SQL expression of the field (api/search/event-search.ts), or undefined for the
 *   tag `key`.
 */
export function listTagValues(
  clickhouse: ClickHouse,
  { key, text, ...lookup }: Lookup & { key: string; text: string | undefined },
): Promise<{ value: string; events: number }[]> {
  return clickhouse.select(
    `select ${text ?? 'tags[{key:String}]'} as value, sum(${rowWeight}) as events
     from events
     where ${recent} and value != '' and ${beginsWithPrefix('value')}
     group by value order by events desc, value limit {limit:UInt32}`,
    { ...parametersOf(lookup), ...(text === undefined ? { key } : {}) },
  )
}

function beginsWithPrefix(expression: string): string {
  return `startsWith(lowerUTF8(${expression}), lowerUTF8({prefix:String}))`
}

function parametersOf({ projectId, sinceMs, prefix, limit }: Lookup) {
  return { project: projectId, since: sinceMs, prefix, limit }
}
