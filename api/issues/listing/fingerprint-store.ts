/**
 * Finds the grouping hashes whose events match a filter, for conditions that only ClickHouse can
 * check.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { ClickHouse } from '../../database.ts'
import { type EventFilter, eventConditions } from '../../events/event-store.ts'
import { instant } from '../../events/read-slices.ts'
import { narrowed } from '../../search/event-search.ts'
import { isOneOfHashes, joinHashes } from '../hash-list.ts'
import { trendAt, trendMs } from '../issue-stats.ts'
import { userCount } from '../sums/issue-sums.ts'

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

/** Hashes that one search for all issues considers. */
export const fingerprintsFoundMax = 100_000

/** Without an order, which many hashes would make slow. */
export async function findFingerprints(clickhouse: ClickHouse, lookup: Lookup): Promise<string[]> {
  const { conditions, parameters } = eventConditions(lookup)
  // One row: replies have fewer rows than hashes may match.
  const rows = await clickhouse.select<{ fingerprints: string[] }>(
    `select groupUniqArray(${fingerprintsFoundMax + 1})(fingerprint) as fingerprints
     from events where ${conditions.join(' and ')}`,
    parameters,
  )
  return rows.flatMap(({ fingerprints }) => fingerprints)
}

/** Most users first, or the steepest trend. */
export async function rankFingerprints(
  clickhouse: ClickHouse,
  { rank, nowMs, ...lookup }: Lookup & { rank: 'users' | 'trend'; nowMs: number },
): Promise<string[]> {
  const order = rank === 'users' ? userCount : trendAt(nowMs)
  return selectFingerprints(clickhouse, lookup, [order], fingerprintsRankedMax)
}

/** Hashes whose trend is read. */
const trendsMax = 10_000

/** The trends of the hashes with events in the last two days, the steepest first; others have 0. */
export async function readHashTrends(
  clickhouse: ClickHouse,
  { projectId, nowMs }: { projectId: ProjectId; nowMs: number },
): Promise<Map<string, number>> {
  const rows = await clickhouse.select<{ fingerprint: string; trend: number }>(
    `select fingerprint, ${trendAt(nowMs)} as trend from events
     where project_id = {project:UInt64} and received_at >= fromUnixTimestamp64Milli({since:Int64})
     group by fingerprint having trend != 0
     order by abs(trend) desc, fingerprint limit ${trendsMax}`,
    { project: projectId, since: nowMs - trendMs },
  )
  const trends = rows.map(({ fingerprint, trend }) => [fingerprint, Number(trend)] as const)
  return new Map(trends.sort(([, a], [, b]) => b - a))
}

/** Within the time of the filter: events since `startMs` and before `beforeMs`. */
export interface EventSpan {
  readonly startMs: number | undefined
  readonly beforeMs: number | undefined
}

/** Those of the hashes with an event of the span that matches. */
export async function matchingFingerprints(
  clickhouse: ClickHouse,
  { span, ...lookup }: Lookup & { hashes: readonly string[]; span: EventSpan },
): Promise<Set<string>> {
  const { conditions, parameters } = eventConditions(lookup)
  conditions.push(isOneOfHashes)
  parameters.hashes = joinHashes(lookup.hashes)
  if (span.startMs !== undefined) conditions.push(`received_at >= ${instant(span.startMs)}`)
  if (span.beforeMs !== undefined) conditions.push(`received_at < ${instant(span.beforeMs)}`)
  const rows = await clickhouse.select<{ fingerprint: string }>(
    `select distinct fingerprint from events where ${conditions.join(' and ')}`,
    narrowed(parameters, span.startMs),
  )
  return new Set(rows.map(({ fingerprint }) => fingerprint))
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
