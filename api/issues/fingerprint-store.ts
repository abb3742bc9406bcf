/** Which grouping hashes have events of a kind: the way from what only ClickHouse knows to issues. */
import type { ProjectId } from '#schemas/ids.ts'
import type { ClickHouse } from '../database.ts'
import { type EventFilter, eventConditions } from '../events/event-store.ts'
import { userIdentity } from './issue-stats.ts'

/** A filter that matches more hashes than this finds the most recently seen ones. */
export const fingerprintsFilteredMax = 10_000
/** How many hashes are ranked by their users. */
export const fingerprintsRankedMax = 1_000

interface Lookup {
  readonly projectId: ProjectId
  readonly filter: EventFilter
}

/** The most recently seen first. */
export async function listFingerprints(clickhouse: ClickHouse, lookup: Lookup): Promise<string[]> {
  return selectFingerprints(clickhouse, lookup, [], fingerprintsFilteredMax)
}

/** Those of the most users first. */
export async function rankFingerprints(clickhouse: ClickHouse, lookup: Lookup): Promise<string[]> {
  const users = `uniqIf(${userIdentity} as identity, identity != '')`
  return selectFingerprints(clickhouse, lookup, [users], fingerprintsRankedMax)
}

/** Largest first by each of `ranks`; of equals, the one seen last. */
async function selectFingerprints(
  clickhouse: ClickHouse,
  lookup: Lookup,
  ranks: readonly string[],
  limit: number,
): Promise<string[]> {
  const { conditions, parameters } = eventConditions(lookup)
  const order = [...ranks, 'max(received_at)'].map((rank) => `${rank} desc`)
  const rows = await clickhouse.select<{ fingerprint: string }>(
    `select fingerprint from events where ${conditions.join(' and ')}
     group by fingerprint order by ${order.join(', ')} limit ${limit}`,
    parameters,
  )
  return rows.map((row) => row.fingerprint)
}
