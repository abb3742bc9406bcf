/**
 * Queries with which a commit writes monitors, one per function of its transaction, for all
 * monitors of the range.
 */
import type { PoolClient } from '#platform/postgres.ts'
import { dashed } from '#schemas/ids.ts'
import type { FoldedMonitor } from './fold-monitor.ts'
import { dueAtMs } from './monitor-run.ts'
import { monitorPartitionHash } from './monitor-store.ts'

/** A change of the rules affects all environments, so everything due in them is computed again. */
export async function saveMonitors(
  client: PoolClient,
  folded: readonly FoldedMonitor[],
): Promise<void> {
  const changed = folded.filter(({ isConfigChanged, problem }) => isConfigChanged || problem)
  if (changed.length === 0) return
  const rows = changed.map(({ monitor: { id, config }, problem, isConfigChanged }) => ({
    id,
    schedule: config.schedule,
    timezone: config.timezone,
    checkin_margin: config.checkinMargin,
    max_runtime: config.maxRuntime,
    failure_issue_threshold: config.failureIssueThreshold,
    recovery_threshold: config.recoveryThreshold,
    is_config_changed: isConfigChanged,
    problem: problem && { ...problem, at: new Date(problem.atMs).toISOString(), atMs: undefined },
  }))
  await client.query(
    `with changed as (
       select * from jsonb_to_recordset($1) as row (id uuid, schedule jsonb, timezone text,
         checkin_margin int, max_runtime int, failure_issue_threshold int, recovery_threshold int,
         is_config_changed boolean, problem jsonb)
     ), touched as (
       update monitor_environments e set due_at = 'epoch' from changed
       where e.monitor_id = changed.id and changed.is_config_changed and e.last_check_in_at is not null
     )
     update monitors m set schedule = nullif(changed.schedule, 'null'), timezone = changed.timezone,
       checkin_margin = changed.checkin_margin, max_runtime = changed.max_runtime,
       failure_issue_threshold = changed.failure_issue_threshold,
       recovery_threshold = changed.recovery_threshold, problem = coalesce(changed.problem, m.problem)
     from changed where m.id = changed.id`,
    [JSON.stringify(rows)],
  )
}

export async function saveEnvironments(
  client: PoolClient,
  folded: readonly FoldedMonitor[],
): Promise<void> {
  const rows = folded.flatMap(({ monitor, environments }) =>
    environments.map((environment) => {
      const { state, identity } = environment
      return {
        monitor_id: monitor.id,
        environment: identity.environment,
        partition_hash: monitorPartitionHash(monitor),
        due_at: iso(dueAtMs(environment)),
        last_check_in_at: iso(state.lastCheckInMs),
        last_ok_at: iso(state.lastOkMs),
        expected_at: iso(state.expectedAtMs),
        rhythm: state.rhythm,
        failures_in_row: state.failuresInRow,
        successes_in_row: state.successesInRow,
        incident_kind: state.incident?.kind,
        incident_opened_at: iso(state.incident?.openedAtMs),
        incident_event_at: iso(state.incident?.lastEventMs),
        minute_at: iso(state.minuteAtMs),
        minute_count: state.minuteCount,
      }
    }),
  )
  if (rows.length === 0) return
  await client.query(
    `insert into monitor_environments (${environmentColumns})
     select ${environmentColumns} from jsonb_populate_recordset(null::monitor_environments, $1)
     on conflict (monitor_id, environment) do update set (${environmentColumns}) =
       row(${environmentColumns.replace(/\w+/g, 'excluded.$&')})`,
    [JSON.stringify(rows)],
  )
}

const environmentColumns = `monitor_id, environment, partition_hash, due_at, last_check_in_at, last_ok_at,
  expected_at, rhythm, failures_in_row, successes_in_row, incident_kind, incident_opened_at,
  incident_event_at, minute_at, minute_count`

/**
 * A run never changes its monitor: a run that another commit created under the same id is not
 * changed.
 */
export async function saveRuns(
  client: PoolClient,
  folded: readonly FoldedMonitor[],
): Promise<void> {
  const rows = folded.flatMap(({ monitor: { projectId }, runs }) =>
    runs.map((run) => ({
      project_id: projectId,
      id: dashed(run.id),
      monitor_id: run.monitorId,
      environment: run.environment,
      status: run.status,
      result: run.result,
      expected_at: iso(run.expectedAtMs),
      started_at: iso(run.startedAtMs),
      closed_at: iso(run.closedAtMs),
      duration_ms: run.durationMs,
      timeout_at: iso(run.timeoutAtMs),
      release: run.release,
      trace_id: run.trace && dashed(run.trace.traceId),
      span_id: run.trace?.spanId,
      event_id: run.eventId && dashed(run.eventId),
      at: iso(run.startedAtMs ?? run.expectedAtMs ?? 0),
    })),
  )
  if (rows.length === 0) return
  await client.query(
    `insert into monitor_runs (${runColumns})
     select ${runColumns} from jsonb_populate_recordset(null::monitor_runs, $1)
     order by project_id, id
     on conflict (project_id, id) do update set (${runColumns}) =
       row(${runColumns.replace(/\w+/g, 'excluded.$&')})
     where monitor_runs.monitor_id = excluded.monitor_id
       and monitor_runs.environment = excluded.environment`,
    [JSON.stringify(rows)],
  )
}

const runColumns = `project_id, id, monitor_id, environment, status, result, expected_at, started_at,
  closed_at, duration_ms, timeout_at, release, trace_id, span_id, event_id, at`

function iso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}
