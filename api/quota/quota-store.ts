/**
 * Quota limits and their use: charged events in Postgres, use by DSN key and issue in ClickHouse.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { QuotaChange } from '#schemas/rest/quota.ts'
import type { ClickHouse, Database } from '../database.ts'

export interface StoredQuota {
  readonly monthly_events: number | null
  readonly per_minute: number | null
  readonly per_issue_per_minute: number | null
  /** Events charged in the period. */
  readonly used: number
  /** Events that ingest processes have reserved and not used yet; not part of `used`. */
  readonly reserved: number
}

/** @param period the first day of the month, such as `2026-11-01`. */
export async function readQuota(
  pg: Database,
  projectId: ProjectId,
  period: string,
): Promise<StoredQuota | undefined> {
  const { rows } = await pg.query<StoredQuota>(
    `select monthly_events, events_per_minute as per_minute,
       issue_events_per_minute as per_issue_per_minute,
       coalesce(used, 0) - coalesce(reserved, 0) as used, coalesce(reserved, 0) as reserved
     from projects
     left join quota_usage on quota_usage.project_id = dsn_id and quota_usage.period = $2
     left join lateral (
       select sum(units - least(seen, units)) as reserved from quota_leases
       where quota_leases.project_id = dsn_id and quota_leases.period = $2 and state = 'open'
     ) as leases on true
     where dsn_id = $1`,
    [projectId, period],
  )
  return rows[0]
}

const columns = {
  monthly_events: 'monthly_events',
  per_minute: 'events_per_minute',
  per_issue_per_minute: 'issue_events_per_minute',
} as const satisfies Record<keyof QuotaChange, string>

/** Sets the given limits only. Ingest and workers read the limits again within five seconds. */
export async function changeQuota(
  pg: Database,
  projectId: ProjectId,
  change: QuotaChange,
): Promise<void> {
  const names = (Object.keys(columns) as (keyof QuotaChange)[]).filter(
    (name) => change[name] !== undefined,
  )
  if (names.length === 0) return
  const sets = names.map((name, index) => `${columns[name]} = $${index + 2}`)
  await pg.query(`update projects set ${sets.join(', ')} where dsn_id = $1`, [
    projectId,
    ...names.map((name) => change[name]),
  ])
}

export interface KeyLimit {
  readonly key_no: number
  readonly public_key: string
  readonly label: string | null
  readonly per_minute: number | null
}

const keysMax = 1_000

export async function listKeyLimits(pg: Database, projectId: ProjectId): Promise<KeyLimit[]> {
  const { rows } = await pg.query<KeyLimit>(
    `select key_no, public_key, label, dsn_keys.events_per_minute as per_minute
     from dsn_keys join projects on projects.id = dsn_keys.project_id
     where dsn_id = $1 order by key_no limit ${keysMax}`,
    [projectId],
  )
  return rows
}

/** Events accepted since a time, by the number of their DSN key. */
export async function sumByKey(
  clickhouse: ClickHouse,
  since: { projectId: ProjectId; sinceMs: number },
): Promise<Map<number, number>> {
  const rows = await clickhouse.select<{ key_no: number; used: number }>(
    `select dsn_key_no as key_no, sum(quantity) as used from outcomes
     where project_id = {project:UInt64} and hour >= fromUnixTimestamp({since:Int64})
       and outcome = 'accepted' and category = 'error'
     group by key_no`,
    { project: since.projectId, since: Math.floor(since.sinceMs / 1000) },
  )
  return new Map(rows.map((row) => [row.key_no, row.used]))
}

/** Fingerprints with the most events that are read to find the issues with the most events. */
const fingerprintsMax = 300

export async function sumByFingerprint(
  clickhouse: ClickHouse,
  since: { projectId: ProjectId; sinceMs: number },
): Promise<{ hash: string; used: number }[]> {
  return clickhouse.select<{ hash: string; used: number }>(
    `select fingerprint as hash, sum(1 + length(sampled_ids)) as used from events
     where project_id = {project:UInt64} and received_at >= fromUnixTimestamp64Milli({since:Int64})
     group by hash order by used desc, hash limit ${fingerprintsMax}`,
    { project: since.projectId, since: since.sinceMs },
  )
}

export interface HashOwner {
  readonly hash: string
  readonly id: string
  readonly short_no: number
  readonly title: string
}

export async function findHashOwners(
  pg: Database,
  projectId: ProjectId,
  hashes: readonly string[],
): Promise<HashOwner[]> {
  const { rows } = await pg.query<HashOwner>(
    `select hash, issues.id, short_no, title
     from issue_hashes join issues on issues.id = issue_id
     where issue_hashes.project_id = $1 and hash = any($2::uuid[])`,
    [projectId, hashes],
  )
  return rows
}
