/** Asks ClickHouse which grouping hashes still have events, so that no stored event is orphaned. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { ProjectId } from '#schemas/ids.ts'

/** Bounds the length of a query, which contains the hashes. */
const hashesPerQueryMax = 2_000

/**
 * Returns those of the hashes that an event has whose own retention is not over. Hashes are UUIDs
 * from Postgres. Rows that ClickHouse has yet to delete do not count.
 */
export async function hashesWithEvents(
  clickhouse: ClickHouseClient,
  lookup: { projectId: ProjectId; hashes: readonly string[]; now: Date },
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (let start = 0; start < lookup.hashes.length; start += hashesPerQueryMax) {
    const list = lookup.hashes.slice(start, start + hashesPerQueryMax)
    const result = await clickhouse.query({
      query: `select distinct toString(fingerprint) as hash from events
              where project_id = ${lookup.projectId}
                and fingerprint in (${list.map((hash) => `'${hash}'`).join(', ')})
                and received_at + toIntervalDay(retention_days)
                  >= fromUnixTimestamp64Milli(${lookup.now.getTime()}, 'UTC')`,
      format: 'JSONEachRow',
    })
    for (const { hash } of await result.json<{ hash: string }>()) found.add(hash)
  }
  return found
}
