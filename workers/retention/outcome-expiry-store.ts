/**
 * Drops whole months of outcomes, which costs ClickHouse nothing. Only months that ended longer ago
 * than the retention go, so no correction of a range can still belong to them; one that does come
 * makes the month again, and the next run drops it.
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'

const dayMs = 86_400_000
/** Months of one run: the first run after years may have many. */
const monthsMax = 120

/** Returns how many rows were dropped. */
export async function expireOutcomes(
  clickhouse: ClickHouseClient,
  { now, days, signal }: { now: Date; days: number; signal: AbortSignal },
): Promise<number> {
  const result = await clickhouse.query({
    query: `select partition, toFloat64(sum(rows)) as rows from system.parts
            where database = currentDatabase() and table = 'outcomes' and active
            group by partition order by partition`,
    format: 'JSONEachRow',
  })
  const months = await result.json<{ partition: string; rows: number }>()
  const before = now.getTime() - days * dayMs
  const expired = months.filter(({ partition }) => {
    const endMs = endOfMonth(partition)
    return endMs !== undefined && endMs < before
  })
  let dropped = 0
  for (const { partition, rows } of expired.slice(0, monthsMax)) {
    if (signal.aborted) break
    await clickhouse.command({ query: `alter table outcomes drop partition ${partition}` })
    dropped += rows
  }
  return dropped
}

/** @param month as ClickHouse names a partition: 202611. Undefined for any other text. */
export function endOfMonth(month: string): number | undefined {
  const [, year, number] = /^(\d{4})(0[1-9]|1[0-2])$/.exec(month) ?? []
  // The first moment of the next month: months count from 0 here.
  return year === undefined ? undefined : Date.UTC(Number(year), Number(number), 1)
}
