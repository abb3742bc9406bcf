/** Which grouping hashes have events of a kind: the way from what only ClickHouse knows to issues. */
import type { ProjectId } from '#schemas/ids.ts'
import type { ClickHouse } from './database.ts'
import { type EventFilter, eventConditions } from './event-store.ts'
import { userIdentity } from './issue-stats.ts'

/** A filter that matches more hashes than this finds the most recently seen ones. */
export const fingerprintsFilteredMax = 10_000
/** How many hashes are ranked by their users. */
export const fingerprintsRankedMax = 1_000

export async function listFingerprints(
  clickhouse: ClickHouse,
  lookup: { projectId: ProjectId; filter: EventFilter },
): Promise<string[]> {
  const { conditions, parameters } = eventConditions(lookup)
  const rows = await clickhouse.select<{ fingerprint: string }>(
    `select fingerprint from events where ${conditions.join(' and ')}
     group by fingerprint order by max(received_at) desc limit ${fingerprintsFilteredMax}`,
    parameters,
  )
  return rows.map((row) => row.fingerprint)
}

export async function rankFingerprints(
  clickhouse: ClickHouse,
  lookup: { projectId: ProjectId; filter: EventFilter },
): Promise<string[]> {
  const { conditions, parameters } = eventConditions(lookup)
  const rows = await clickhouse.select<{ fingerprint: string }>(
    `select fingerprint from events where ${conditions.join(' and ')}
     group by fingerprint
     order by uniqIf(${userIdentity} as identity, identity != '') desc, max(received_at) desc
     limit ${fingerprintsRankedMax}`,
    parameters,
  )
  return rows.map((row) => row.fingerprint)
}
