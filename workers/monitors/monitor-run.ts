/**
 * The state of a monitor in one environment. It is changed by check-ins (apply-check-in.ts) and by
 * passing time (tick-monitor.ts).
 *
 *   run       none ──in_progress──▶ running ──ok, error──▶ closed
 *             none ──ok, error──▶ closed                 (a job that reports only its end)
 *             running ──max_runtime passes──▶ overrunning      (a later end only sets its duration)
 *             expected ──checkin_margin passes──▶ missed
 *
 *   incident  none ──failure_issue_threshold failures in a row──▶ open
 *             open ──recovery_threshold ok runs in a row──▶ none
 *             A failure is a missed, an overrunning or an error run. While the incident is open,
 *             each failure creates an event.
 */
import type { CheckIn } from '#schemas/wire/check-in.ts'
import type { ParsedSchedule } from '#schemas/wire/monitor-config.ts'

export type FailureKind = 'missed' | 'overrunning' | 'error'

export interface MonitorRules {
  readonly schedule: ParsedSchedule | undefined
  readonly timezone: string
  /**
   * Identifies schedule and time zone: times that were computed for another rhythm are computed
   * again.
   */
  readonly rhythm: string
  readonly marginMs: number
  readonly maxRuntimeMs: number
  readonly failureThreshold: number
  readonly recoveryThreshold: number
  /** A muted monitor creates no events. */
  readonly muted: boolean
}

export interface MonitorIdentity {
  readonly projectId: number
  readonly monitorId: string
  readonly slug: string
  readonly environment: string
}

export interface MonitorRun {
  /** 32 lowercase hex digits. */
  readonly id: string
  readonly status: 'running' | 'closed' | 'missed' | 'overrunning'
  readonly result: 'ok' | 'error' | undefined
  readonly expectedAtMs: number | undefined
  readonly startedAtMs: number | undefined
  readonly closedAtMs: number | undefined
  readonly durationMs: number | undefined
  /** Time of the timeout of a running run. */
  readonly timeoutAtMs: number | undefined
  readonly release: string | undefined
  readonly trace: CheckIn['trace']
  readonly eventId: string | undefined
}

export interface Incident {
  /** Kind of the failure that opened the incident. */
  readonly kind: FailureKind
  readonly openedAtMs: number
  /** Time of the last event; undefined while the monitor is muted. */
  readonly lastEventMs: number | undefined
}

export interface MonitorState {
  readonly lastCheckInMs: number | undefined
  readonly lastOkMs: number | undefined
  /** Time at which the next run is expected to begin. */
  readonly expectedAtMs: number | undefined
  readonly rhythm: string
  readonly failuresInRow: number
  readonly successesInRow: number
  readonly incident: Incident | undefined
  readonly minuteAtMs: number
  readonly minuteCount: number
}

export const freshState: MonitorState = {
  lastCheckInMs: undefined,
  lastOkMs: undefined,
  expectedAtMs: undefined,
  rhythm: '',
  failuresInRow: 0,
  successesInRow: 0,
  incident: undefined,
  minuteAtMs: 0,
  minuteCount: 0,
}

export interface MonitorInEnvironment {
  readonly identity: MonitorIdentity
  readonly rules: MonitorRules
  readonly state: MonitorState
  /** By id: all running runs, and those that were asked for. */
  readonly runs: ReadonlyMap<string, MonitorRun>
}

/** A failure that becomes an event. */
export interface MonitorFailure {
  readonly kind: FailureKind
  readonly run: MonitorRun & { readonly eventId: string }
  /** Time at which it became a failure. */
  readonly atMs: number
  readonly incident: Incident
  readonly lastOkMs: number | undefined
}

/** A closed incident. */
export interface MonitorRecovery {
  readonly incident: Incident
  readonly atMs: number
}

/** Why a check-in changed nothing. */
export type CheckInRefusal = 'rate_limited' | 'already_finished' | 'id_in_use' | 'too_many_runs'

/**
 * Why a check-in is counted as rejected: by its runs, or because of the number or the deletion of
 * monitors.
 */
export type MonitorRefusal =
  | CheckInRefusal
  | 'too_many_environments'
  | 'too_many_monitors'
  | 'monitor_deleted'

export interface MonitorStep {
  readonly state: MonitorState
  /** Runs that are new or changed. */
  readonly runs: readonly MonitorRun[]
  readonly failures: readonly MonitorFailure[]
  readonly recoveries: readonly MonitorRecovery[]
  readonly refusal: CheckInRefusal | undefined
}

/** When the passing of time changes something next. */
export function dueAtMs({ rules, state, runs }: MonitorInEnvironment): number | undefined {
  let due = lateAtMs(rules, state)
  for (const { timeoutAtMs } of runs.values()) {
    if (timeoutAtMs !== undefined) due = Math.min(due ?? timeoutAtMs, timeoutAtMs)
  }
  return due
}

/** Time at which the expected run counts as missed. */
export function lateAtMs(rules: MonitorRules, state: MonitorState): number | undefined {
  return state.expectedAtMs === undefined ? undefined : state.expectedAtMs + rules.marginMs
}
