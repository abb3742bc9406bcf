/** Counts the values of derived tags in ClickHouse; all are columns, so one pass reads them. */
import type { ProjectId } from '#schemas/ids.ts'
import type { ClickHouse } from '../database.ts'
import { isOneOfHashes, joinHashes } from '../issues/hash-list.ts'
import { rowWeight } from '../issues/row-weight.ts'
import { derivedTagExpressions, derivedTagNames } from './derived-tags.ts'

const valuesPerTagMax = 10
const columns = derivedTagExpressions.map((_, index) => `c${index}`)

export type TagValues = Record<string, { value: string; count: number }[]>

/** The most frequent values of each derived tag in the events of an issue. */
export async function readDerivedTags(
  clickhouse: ClickHouse,
  lookup: { projectId: ProjectId; hashes: readonly string[]; sinceMs: number | undefined },
): Promise<TagValues> {
  const rows = await clickhouse.select<{ tag: number; value: string; events: number }>(
    `select tag, value, events from (
       select ${derivedTagExpressions.map((sql, index) => `${sql} as c${index}`).join(', ')},
         sum(${rowWeight}) as events,
         indexOf([${columns.map((column) => `grouping(${column})`).join(', ')}], 0) as tag,
         [${columns.map((column) => `toString(${column})`).join(', ')}][tag] as value
       from events
       where project_id = {project:UInt64} and ${isOneOfHashes}
         and received_at >= fromUnixTimestamp64Milli({since:Int64})
       group by grouping sets (${columns.map((column) => `(${column})`).join(', ')})
     )
     where value != ''
     order by tag, events desc, value
     limit ${valuesPerTagMax} by tag`,
    {
      project: lookup.projectId,
      hashes: joinHashes(lookup.hashes),
      since: lookup.sinceMs ?? 0,
    },
  )
  const tags: TagValues = {}
  for (const { tag, value, events } of rows) {
    const name = derivedTagNames[tag - 1]!
    tags[name] = [...(tags[name] ?? []), { value, count: events }]
  }
  return tags
}

/** Derived tags with a prefix that recent events have, and how many of these have them. */
export async function countDerivedTags(
  clickhouse: ClickHouse,
  lookup: { projectId: ProjectId; sinceMs: number; prefix: string },
): Promise<{ key: string; events: number }[]> {
  const start = lookup.prefix.toLowerCase()
  const tags = derivedTagNames.flatMap((key, index) =>
    key.startsWith(start) ? [{ key, sql: derivedTagExpressions[index]! }] : [],
  )
  if (tags.length === 0) return []
  const rows = await clickhouse.select<{ counts: number[] }>(
    `select [${tags.map(({ sql }) => `sumIf(${rowWeight}, ${sql} != '')`).join(', ')}] as counts
     from events
     where project_id = {project:UInt64}
       and received_at >= fromUnixTimestamp64Milli({since:Int64})`,
    { project: lookup.projectId, since: lookup.sinceMs },
  )
  return tags
    .map(({ key }, index) => ({ key, events: Number(rows[0]?.counts[index] ?? 0) }))
    .filter(({ events }) => events > 0)
}
