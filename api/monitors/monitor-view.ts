import { undashed } from '#schemas/ids.ts'
import type { MonitorItem, MonitorRunItem } from '#schemas/rest/monitor.ts'
import type { StoredEnvironment, StoredMonitor, StoredRun } from './monitor-store.ts'

export function monitorItem(monitor: StoredMonitor): MonitorItem {
  const environments = monitor.environments.map(environmentItem)
  const expected = environments.flatMap(({ next_expected_at }) => next_expected_at ?? []).sort()
  return {
    slug: monitor.slug,
    schedule: monitor.schedule,
    timezone: monitor.timezone,
    checkin_margin: monitor.checkin_margin,
    max_runtime: monitor.max_runtime,
    failure_issue_threshold: monitor.failure_issue_threshold,
    recovery_threshold: monitor.recovery_threshold,
    status: worstOf(environments.map(({ status }) => status)),
    muted: monitor.muted,
    snoozed_until: monitor.snoozed_until?.toISOString() ?? null,
    last_run: monitor.last_run === null ? null : runItem(monitor.last_run),
    next_expected_at: expected[0] ?? null,
    environments,
    last_problem: monitor.problem,
    created_at: monitor.created_at.toISOString(),
  }
}

export function runItem(run: StoredRun): MonitorRunItem {
  return {
    // Clients send ids without dashes.
    id: undashed(run.id),
    status: run.status,
    result: run.result,
    environment: run.environment,
    expected_at: instant(run.expected_at),
    started_at: instant(run.started_at),
    closed_at: instant(run.closed_at),
    duration_ms: run.duration_ms,
    release: run.release,
    trace_id: run.trace_id && undashed(run.trace_id),
    event_id: run.event_id && undashed(run.event_id),
  }
}

type Status = MonitorItem['status']

function environmentItem(stored: StoredEnvironment): MonitorItem['environments'][number] {
  const { incident_kind: kind, incident_opened_at: opened } = stored
  const isWaiting = stored.last_check_in_at === null
  return {
    environment: stored.environment,
    status: isWaiting ? 'waiting' : kind === null ? 'ok' : 'failing',
    last_check_in_at: instant(stored.last_check_in_at),
    last_ok_at: instant(stored.last_ok_at),
    next_expected_at: instant(stored.expected_at),
    incident:
      kind === null || opened === null ? null : { kind, opened_at: new Date(opened).toISOString() },
  }
}

function worstOf(statuses: readonly Status[]): Status {
  if (statuses.includes('failing')) return 'failing'
  return statuses.includes('ok') ? 'ok' : 'waiting'
}

/** Postgres writes times in JSON with an offset and up to six decimals. */
function instant(text: string | null): string | null {
  return text === null ? null : new Date(text).toISOString()
}
