/** Reads what the warnings of a project's rules need: a few bounded queries for all its rules. */
import type { ProjectId } from '#schemas/ids.ts'
import type { ClickHouse, Database } from '../../database.ts'

/** With more values than this, a value that was not seen is no error. */
const valuesMax = 1_000

export interface StoredFacts {
  readonly hasMonitors: boolean
  readonly hasQuota: boolean
  readonly retentionDays: number | undefined
  readonly releases: ReadonlySet<string> | undefined
  readonly serverSessions: boolean
}

export async function readProjectFacts(
  pg: Database,
  { projectId, since }: { readonly projectId: ProjectId; readonly since: Date },
): Promise<StoredFacts> {
  const { rows } = await pg.query<{
    has_monitors: boolean
    has_quota: boolean
    retention_days: number | null
    releases: string[]
    server_sessions: boolean
  }>(
    `select exists (select from monitors where project_id = $1) as has_monitors,
       monthly_events is not null as has_quota,
       (settings ->> 'retention_days')::int as retention_days,
       array(select version from releases where project_id = $1 and last_event_at >= $2
             limit ${valuesMax + 1}) as releases,
       exists (select from release_health_counts where project_id = $1 and hour >= $2) as server_sessions
     from projects where dsn_id = $1`,
    [projectId, since],
  )
  const row = rows[0]
  return {
    hasMonitors: row?.has_monitors ?? false,
    hasQuota: row?.has_quota ?? false,
    retentionDays: row?.retention_days ?? undefined,
    releases: bounded(row?.releases ?? []),
    serverSessions: row?.server_sessions ?? false,
  }
}

export interface SeenValues {
  readonly events: number
  readonly environment: ReadonlySet<string> | undefined
  readonly level: ReadonlySet<string> | undefined
  readonly component: ReadonlySet<string> | undefined
}

/** Reads three columns of few distinct values. */
export async function readSeenValues(
  clickhouse: ClickHouse,
  { projectId, sinceMs }: { readonly projectId: ProjectId; readonly sinceMs: number },
): Promise<SeenValues> {
  const unique = `groupUniqArray(${valuesMax + 1})`
  const [row] = await clickhouse.select<{
    events: number
    environments: string[]
    levels: string[]
    components: string[]
  }>(
    `select count() as events, ${unique}(environment) as environments, ${unique}(level) as levels,
       ${unique}(component) as components
     from events where project_id = {project:UInt64}
       and received_at >= fromUnixTimestamp64Milli({since:Int64})`,
    { project: projectId, since: sinceMs },
  )
  return {
    events: row?.events ?? 0,
    environment: bounded(row?.environments ?? []),
    level: bounded(row?.levels ?? []),
    component: bounded(row?.components ?? []),
  }
}

export async function hasSessionRows(
  clickhouse: ClickHouse,
  { projectId, sinceMs }: { readonly projectId: ProjectId; readonly sinceMs: number },
): Promise<boolean> {
  const rows = await clickhouse.select(
    `select 1 from sessions where project_id = {project:UInt64}
       and hour >= fromUnixTimestamp64Milli({since:Int64}) limit 1`,
    { project: projectId, since: sinceMs },
  )
  return rows.length > 0
}

function bounded(values: readonly string[]): ReadonlySet<string> | undefined {
  return values.length > valuesMax ? undefined : new Set(values)
}
