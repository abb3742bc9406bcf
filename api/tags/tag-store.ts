/** Tags of events and their values, most frequent first. */
import type { ProjectId } from '#schemas/ids.ts'
import type { ClickHouse } from '../database.ts'
import { rowWeight } from '../issues/row-weight.ts'

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
