/** Counts the values of the tags that clients set. */
import type { ProjectId } from '#schemas/ids.ts'
import type { ClickHouse } from '../../database.ts'
import { isOneOfHashes, joinHashes } from '../hash-list.ts'
import { rowWeight } from '../row-weight.ts'

/** By the name of the tag; the most frequent values come first. */
export type TagValues = Record<string, { value: string; count: number }[]>

const tagKeysMax = 50
/** Of tags that clients set, and of derived ones. */
export const valuesPerTagMax = 10

/** The most frequent values of the most frequent tags. */
export async function readOwnTags(
  clickhouse: ClickHouse,
  lookup: { projectId: ProjectId; hashes: readonly string[]; sinceMs: number | undefined },
): Promise<TagValues> {
  const rows = await clickhouse.select<{ key: string; value: string; events: number }>(
    `select key, value, sum(${rowWeight}) as events, sum(events) over (partition by key) as of_key
     from events array join mapKeys(tags) as key, mapValues(tags) as value
     where project_id = {project:UInt64} and ${isOneOfHashes}
       and received_at >= fromUnixTimestamp64Milli({since:Int64})
     group by key, value
     order by of_key desc, key, events desc, value
     limit ${valuesPerTagMax} by key
     limit ${valuesPerTagMax * tagKeysMax}`,
    {
      project: lookup.projectId,
      hashes: joinHashes(lookup.hashes),
      since: lookup.sinceMs ?? 0,
    },
  )
  const tags: [string, { value: string; count: number }[]][] = []
  for (const { key, value, events } of rows) {
    if (tags.at(-1)?.[0] !== key) tags.push([key, []])
    tags.at(-1)![1].push({ value, count: events })
  }
  return Object.fromEntries(tags)
}
