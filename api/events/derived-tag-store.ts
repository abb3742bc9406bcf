/** Counts events with derived tags in ClickHouse; all are columns, so one pass reads them. */
import type { ProjectId } from '#schemas/ids.ts'
import type { ClickHouse } from '../database.ts'
import { rowWeight } from '../issues/row-weight.ts'
import { derivedTagExpressions, derivedTagNames } from './derived-tags.ts'

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
