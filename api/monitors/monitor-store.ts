/** Monitors and their runs, for the API. */
import type { ProjectId } from '#schemas/ids.ts'
import type { MonitorConfig, Schedule } from '#schemas/wire/monitor-config.ts'
import type { Database } from '../database.ts'

export interface StoredRun {
  readonly id: string
  readonly environment: string
  readonly status: 'running' | 'closed' | 'missed' | 'overrunning'
  readonly result: 'ok' | 'error' | null
  readonly expected_at: string | null
  readonly started_at: string | null
  readonly closed_at: string | null
  readonly duration_ms: number | null
  readonly release: string | null
  readonly trace_id: string | null
  readonly event_id: string | null
}

export interface StoredEnvironment {
  readonly environment: string
  readonly last_check_in_at: string | null
  readonly last_ok_at: string | null
  readonly expected_at: string | null
  readonly incident_kind: 'missed' | 'overrunning' | 'error' | null
  readonly incident_opened_at: string | null
}

export interface StoredMonitor {
  readonly id: string
  readonly slug: string
  readonly schedule: Schedule | null
  readonly timezone: string
  readonly checkin_margin: number
  readonly max_runtime: number
  readonly failure_issue_threshold: number
  readonly recovery_threshold: number
  readonly muted: boolean
  readonly snoozed_until: Date | null
  readonly problem: {
    readonly at: string
    readonly reason: string
    readonly environment: string
    readonly detail: string
  } | null
  readonly created_at: Date
  readonly environments: readonly StoredEnvironment[]
  readonly last_run: StoredRun | null
}

const runFields = `'id', run.id, 'environment', run.environment, 'status', run.status,
  'result', run.result, 'expected_at', run.expected_at, 'started_at', run.started_at,
  'closed_at', run.closed_at, 'duration_ms', run.duration_ms, 'release', run.release,
  'trace_id', run.trace_id, 'event_id', run.event_id`

const monitorSelection = `monitors.*,
  coalesce((
    select jsonb_agg(jsonb_build_object('environment', e.environment, 'expected_at', e.expected_at,
      'last_check_in_at', e.last_check_in_at, 'last_ok_at', e.last_ok_at,
      'incident_kind', e.incident_kind, 'incident_opened_at', e.incident_opened_at)
      order by e.environment)
    from monitor_environments e where e.monitor_id = monitors.id
  ), '[]') as environments,
  (
    select jsonb_build_object(${runFields}) from monitor_runs run
    where run.monitor_id = monitors.id order by run.at desc, run.id desc limit 1
  ) as last_run`

export async function listMonitors(
  pg: Database,
  list: { projectId: ProjectId; afterSlug: string | undefined; limit: number },
): Promise<StoredMonitor[]> {
  const { rows } = await pg.query<StoredMonitor>(
    `select ${monitorSelection} from monitors
     where project_id = $1 and ($2::text is null or slug > $2)
     order by slug limit $3`,
    [list.projectId, list.afterSlug ?? null, list.limit],
  )
  return rows
}

export interface MonitorName {
  readonly projectId: ProjectId
  readonly slug: string
}

export async function findMonitor(
  pg: Database,
  { projectId, slug }: MonitorName,
): Promise<StoredMonitor | undefined> {
  const { rows } = await pg.query<StoredMonitor>(
    `select ${monitorSelection} from monitors where project_id = $1 and slug = $2`,
    [projectId, slug],
  )
  return rows[0]
}

export interface MonitorRules extends Omit<MonitorConfig, 'schedule'> {
  readonly schedule: Schedule | null
  readonly muted: boolean
  readonly snoozedUntil: Date | null
}

/**
 * Call within a transaction. `decide` gets the monitor while its row is locked, so that concurrent
 * changes are both applied. The worker that follows the schedule computes the next run again.
 */
export async function changeMonitor(
  client: Database,
  name: MonitorName,
  decide: (monitor: StoredMonitor) => MonitorRules,
): Promise<StoredMonitor | undefined> {
  await client.query('select from monitors where project_id = $1 and slug = $2 for update', [
    name.projectId,
    name.slug,
  ])
  const monitor = await findMonitor(client, name)
  if (monitor === undefined) return undefined
  const rules = decide(monitor)
  await client.query(
    `update monitors set schedule = $2, timezone = $3, checkin_margin = $4, max_runtime = $5,
         failure_issue_threshold = $6, recovery_threshold = $7, muted = $8, snoozed_until = $9 where id = $1`,
    [
      monitor.id,
      rules.schedule === null ? null : JSON.stringify(rules.schedule),
      rules.timezone,
      rules.checkinMargin,
      rules.maxRuntime,
      rules.failureIssueThreshold,
      rules.recoveryThreshold,
      rules.muted,
      rules.snoozedUntil,
    ],
  )
  await client.query(
    `update monitor_environments set due_at = 'epoch'
       where monitor_id = $1 and last_check_in_at is not null`,
    [monitor.id],
  )
  return findMonitor(client, name)
}

/** False when there is no such monitor. Also deletes its runs; events and issues stay. */
export async function deleteMonitor(
  pg: Database,
  { projectId, slug }: MonitorName,
): Promise<boolean> {
  const { rowCount } = await pg.query('delete from monitors where project_id = $1 and slug = $2', [
    projectId,
    slug,
  ])
  return rowCount === 1
}

export type PlacedRun = StoredRun & {
  /** Its time with microseconds, for cursors. */
  readonly position: string
}

export async function listRuns(
  pg: Database,
  list: {
    readonly monitorId: string
    readonly environment: string | undefined
    readonly status: string | undefined
    readonly after: readonly [position: string, id: string] | undefined
    readonly limit: number
  },
): Promise<PlacedRun[]> {
  const { rows } = await pg.query<{ run: StoredRun; position: string }>(
    `select jsonb_build_object(${runFields}) as run,
       to_char(run.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position
     from monitor_runs run
     where run.monitor_id = $1
       and ($2::text is null or run.environment = $2)
       and ($3::text is null or run.status = $3)
       and ($4::timestamptz is null or (run.at, run.id) < ($4, $5::uuid))
     order by run.at desc, run.id desc limit $6`,
    [
      list.monitorId,
      list.environment ?? null,
      list.status ?? null,
      list.after?.[0] ?? null,
      list.after?.[1] ?? null,
      list.limit,
    ],
  )
  return rows.map(({ run, position }) => ({ ...run, position }))
}
