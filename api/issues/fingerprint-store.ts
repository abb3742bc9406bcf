/**
 * Finds the grouping hashes whose events match a filter, for conditions that only ClickHouse can
 * check.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { ClickHouse } from '../database.ts'
import { type EventFilter, eventConditions } from '../events/event-store.ts'
import { trendAt, userCount } from './issue-stats.ts'

/** Most recently seen first. */
export const fingerprintsFilteredMax = 10_000
/** Hashes that are ranked by their users or their trend. */
export const fingerprintsRankedMax = 1_000

interface Lookup {
  readonly projectId: ProjectId
  readonly filter: EventFilter
}

/** The most recently seen first. */
export async function listFingerprints(clickhouse: ClickHouse, lookup: Lookup): Promise<string[]> {
  return selectFingerprints(clickhouse, lookup, [], fingerprintsFilteredMax)
}

/** Most users first, or the steepest trend. */
export async function rankFingerprints(
  clickhouse: ClickHouse,
  { rank, nowMs, ...lookup }: Lookup & { rank: 'users' | 'trend'; nowMs: number },
): Promise<string[]> {
  const order = rank === 'users' ? userCount : trendAt(nowMs)
  return selectFingerprints(clickhouse, lookup, [order], fingerprintsRankedMax)
}

/** Sorted by `ranks` in descending order, then most recently seen first. */
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
