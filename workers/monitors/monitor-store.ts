/**
 * Queries with which a commit reads monitors, one per function of its transaction. Rows are locked
 * by project and slug.
 */

import { v7 as uuidv7 } from 'uuid'
import type { PoolClient } from '#platform/postgres.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { monitorPartitionKey } from '#schemas/bus/monitor-partition-key.ts'
import { partitionOf } from '#schemas/bus/partition.ts'
import { dashed, type ProjectId, undashed } from '#schemas/ids.ts'
import type { Schedule } from '#schemas/wire/monitor-config.ts'
import type { StoredConfig, StoredRun } from './fold-monitor.ts'
import type { FailureKind, MonitorState } from './monitor-run.ts'

export interface MonitorName {
  readonly projectId: number
  readonly slug: string
}

export interface LockedMonitor extends MonitorName {
  readonly id: string
  readonly config: StoredConfig
  readonly muted: boolean
}

/** Clients choose slugs, so their number is bounded. */
export const monitorsPerProjectMax = 1_000
/** Maximum monitors that time changes in one transaction; the rest is due again in the next one. */
const dueMonitorsMax = 1_000
/** Hash whose remainder by the number of partitions is the partition of the monitor's check-ins. */
const hashCount = 2 ** 32

export function monitorPartitionHash({ projectId, slug }: MonitorName): number {
  return partitionOf(projectId as ProjectId, monitorPartitionKey(slug), 0, hashCount)
}

/** Monitors of this partition for which something is due. */
export async function readDueMonitors(
  client: PoolClient,
  { partition, layout, nowMs }: { partition: number; layout: IngestLayout; nowMs: number },
): Promise<MonitorName[]> {
  const { rows } = await client.query<{ project_id: number; slug: string }>(
    `select distinct project_id, slug from (
       select monitor_id from monitor_environments
       where due_at <= least(to_timestamp($3 / 1000.0), clock_timestamp())
         and partition_hash % $2 = $1
       order by due_at limit ${dueMonitorsMax}
     ) due join monitors on monitors.id = due.monitor_id`,
    [partition - layout.first, layout.partitions, nowMs],
  )
  return rows.map((row) => ({ projectId: row.project_id, slug: row.slug }))
}

/**
 * An ingest instance that reported this recently sends its missing frames. Ended instances are not
 * waited for.
 */
const instanceAlive = '5 minutes'

/**
 * Whether older frames may still arrive: frames from an outage of the broker are in the write-ahead
 * log of their ingest instance and arrive late; and while the number of partitions is being
 * changed, frames wait in the next partitions. They may contain check-ins, so no run can be called
 * late now.
 */
export async function waitsForFrames(client: PoolClient, partition: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `select 1 from frame_progress join ingest_boots using (boot_id)
     where partition = $1 and cardinality(ahead) > 0 and seen_at > now() - interval '${instanceAlive}'
     union all
     select 1 from installation where next_first_partition is not null
     limit 1`,
    [partition],
  )
  return rowCount === 1
}

interface MonitorRow {
  readonly id: string
  readonly project_id: number
  readonly slug: string
  readonly schedule: Schedule | null
  readonly timezone: string
  readonly checkin_margin: number
  readonly max_runtime: number
  readonly failure_issue_threshold: number
  readonly recovery_threshold: number
  readonly muted: boolean
}

/** Creates missing monitors where the project has room for them. */
export async function createMonitors(
  client: PoolClient,
  names: readonly MonitorName[],
): Promise<void> {
  await client.query(
    `insert into monitors (id, project_id, slug, partition_hash)
     select id, project_id, slug, partition_hash from (
       select wanted.*, row_number() over (partition by project_id order by slug) as place
       from unnest($1::uuid[], $2::bigint[], $3::text[], $4::bigint[])
         as wanted (id, project_id, slug, partition_hash)
       where not exists (
         select from monitors m where m.project_id = wanted.project_id and m.slug = wanted.slug
       )
     ) fresh
     where place + (select count(*) from monitors m where m.project_id = fresh.project_id)
       <= ${monitorsPerProjectMax}
     order by project_id, slug
     on conflict do nothing`,
    [
      names.map(() => uuidv7()),
      names.map(({ projectId }) => projectId),
      names.map(({ slug }) => slug),
      names.map(monitorPartitionHash),
    ],
  )
}

/** Projects, among the given ones, that have no room for another monitor. */
export async function readFullProjects(
  client: PoolClient,
  projectIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await client.query<{ project_id: number }>(
    `select project_id from monitors where project_id = any($1)
     group by project_id having count(*) >= ${monitorsPerProjectMax}`,
    [projectIds],
  )
  return new Set(rows.map((row) => row.project_id))
}

export async function lockMonitors(
  client: PoolClient,
  names: readonly MonitorName[],
): Promise<LockedMonitor[]> {
  const { rows } = await client.query<MonitorRow>(
    `select monitors.* from monitors
     join unnest($1::bigint[], $2::text[]) as wanted (project_id, slug) using (project_id, slug)
     order by project_id, slug for update of monitors`,
    [names.map(({ projectId }) => projectId), names.map(({ slug }) => slug)],
  )
  return rows.map((row) => ({
    id: row.id,
    projectId: row.project_id,
    slug: row.slug,
    muted: row.muted,
    config: {
      schedule: row.schedule,
      timezone: row.timezone,
      checkinMargin: row.checkin_margin,
      maxRuntime: row.max_runtime,
      failureIssueThreshold: row.failure_issue_threshold,
      recoveryThreshold: row.recovery_threshold,
    },
  }))
}

interface EnvironmentRow {
  readonly monitor_id: string
  readonly environment: string
  readonly last_check_in_at: Date | null
  readonly last_ok_at: Date | null
  readonly expected_at: Date | null
  readonly rhythm: string
  readonly failures_in_row: number
  readonly successes_in_row: number
  readonly incident_kind: FailureKind | null
  readonly incident_opened_at: Date | null
  readonly incident_event_at: Date | null
  readonly minute_at: Date
  readonly minute_count: number
}

/** States by monitor and environment. */
export async function readEnvironments(
  client: PoolClient,
  monitorIds: readonly string[],
): Promise<Map<string, Map<string, MonitorState>>> {
  const { rows } = await client.query<EnvironmentRow>(
    'select * from monitor_environments where monitor_id = any($1)',
    [monitorIds],
  )
  const found = new Map<string, Map<string, MonitorState>>()
  for (const row of rows) {
    const states = found.get(row.monitor_id) ?? new Map<string, MonitorState>()
    found.set(row.monitor_id, states)
    states.set(row.environment, stateOf(row))
  }
  return found
}

function stateOf(row: EnvironmentRow): MonitorState {
  const { incident_kind: kind, incident_opened_at: opened } = row
  return {
    lastCheckInMs: row.last_check_in_at?.getTime(),
    lastOkMs: row.last_ok_at?.getTime(),
    expectedAtMs: row.expected_at?.getTime(),
    rhythm: row.rhythm,
    failuresInRow: row.failures_in_row,
    successesInRow: row.successes_in_row,
    incident:
      kind === null || opened === null
        ? undefined
        : { kind, openedAtMs: opened.getTime(), lastEventMs: row.incident_event_at?.getTime() },
    minuteAtMs: row.minute_at.getTime(),
    minuteCount: row.minute_count,
  }
}

interface RunRow {
  readonly project_id: number
  readonly id: string
  readonly monitor_id: string
  readonly environment: string
  readonly status: StoredRun['status']
  readonly result: 'ok' | 'error' | null
  readonly expected_at: Date | null
  readonly started_at: Date | null
  readonly closed_at: Date | null
  readonly duration_ms: number | null
  readonly timeout_at: Date | null
  readonly release: string | null
  readonly trace_id: string | null
  readonly span_id: string | null
  readonly event_id: string | null
}

/** Running runs of these monitors, and all runs of the projects that have one of the ids. */
export async function readRuns(
  client: PoolClient,
  monitorIds: readonly string[],
  ids: readonly { readonly projectId: number; readonly runId: string }[],
): Promise<(StoredRun & { readonly projectId: number })[]> {
  const { rows } = await client.query<RunRow>(
    `select * from monitor_runs where status = 'running' and monitor_id = any($1)
     union
     select runs.* from monitor_runs runs
     join unnest($2::bigint[], $3::uuid[]) as wanted (project_id, id) using (project_id, id)`,
    [monitorIds, ids.map(({ projectId }) => projectId), ids.map(({ runId }) => dashed(runId))],
  )
  return rows.map((row) => ({
    projectId: row.project_id,
    id: undashed(row.id),
    monitorId: row.monitor_id,
    environment: row.environment,
    status: row.status,
    result: row.result ?? undefined,
    expectedAtMs: row.expected_at?.getTime(),
    startedAtMs: row.started_at?.getTime(),
    closedAtMs: row.closed_at?.getTime(),
    durationMs: row.duration_ms ?? undefined,
    timeoutAtMs: row.timeout_at?.getTime(),
    release: row.release ?? undefined,
    trace:
      row.trace_id === null
        ? undefined
        : { traceId: undashed(row.trace_id), spanId: row.span_id ?? undefined },
    eventId: row.event_id === null ? undefined : undashed(row.event_id),
  }))
}
