/**
 * Counts the values of several expressions in the events of an issue. The events of most issues lie
 * far apart in the table, so that finding and reading them is nearly all of the work: one pass
 * counts all.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { ClickHouse } from '../../database.ts'
import { isOneOfHashes, joinHashes } from '../hash-list.ts'
import { rowWeight } from '../row-weight.ts'

export interface ValueCounts {
  /** The most frequent ones first. An empty text is no value. */
  readonly values: readonly { readonly value: string; readonly count: number }[]
  /** How many different values there are. */
  readonly distinct: number
}

/** In the order of the expressions; a value of any type is given as text. */
export async function countValues(
  clickhouse: ClickHouse,
  lookup: {
    readonly projectId: ProjectId
    readonly hashes: readonly string[]
    /** Undefined: all events. */
    readonly sinceMs: number | undefined
    readonly expressions: readonly string[]
    readonly valuesMax: number
  },
): Promise<ValueCounts[]> {
  const { expressions, sinceMs } = lookup
  const columns = expressions.map((_, index) => `c${index}`)
  const rows = await clickhouse.select<Row>(
    `select position, value, events, count() over (partition by position) as distinct_values
     from (
       select ${expressions.map((sql, index) => `${sql} as c${index}`).join(', ')},
         sum(${rowWeight}) as events,
         indexOf([${columns.map((column) => `grouping(${column})`).join(', ')}], 0) as position,
         [${columns.map((column) => `toString(${column})`).join(', ')}][position] as value
       from events
       where project_id = {project:UInt64} and ${isOneOfHashes}
         and received_at >= fromUnixTimestamp64Milli({since:Int64})
       group by grouping sets (${columns.map((column) => `(${column})`).join(', ')})
     )
     where value != ''
     order by position, events desc, value
     limit {valuesMax:UInt32} by position`,
    {
      project: lookup.projectId,
      hashes: joinHashes(lookup.hashes),
      since: sinceMs ?? 0,
      valuesMax: lookup.valuesMax,
    },
  )
  return expressions.map((_, index) => {
    const found = rows.filter(({ position }) => position === index + 1)
    return {
      values: found.map(({ value, events }) => ({ value, count: events })),
      distinct: found[0]?.distinct_values ?? 0,
    }
  })
}

interface Row {
  /** Of the expression, from 1. */
  readonly position: number
  readonly value: string
  readonly events: number
  readonly distinct_values: number
}
