/** Applies the passing of time: late runs are missed, runs that take too long are overrunning. */
import { countFailure, hexHash } from './count-result.ts'
import {
  lateAtMs,
  type MonitorFailure,
  type MonitorInEnvironment,
  type MonitorRun,
  type MonitorState,
  type MonitorStep,
} from './monitor-run.ts'
import { tickAfter, tickFrom } from './next-tick.ts'

/**
 * At most one run is missed per tick: a job that was silent for long has missed the expected run,
 * not every run since.
 */
export function tickMonitor(monitor: MonitorInEnvironment, nowMs: number): MonitorStep {
  const { identity, rules } = monitor
  let state = followRhythm(monitor, nowMs)
  const runs: MonitorRun[] = []
  const failures: MonitorFailure[] = []
  for (const { kind, run, atMs } of dueFailures({ ...monitor, state }, nowMs)) {
    const counted = countFailure({ identity, rules, state }, { kind, run, atMs })
    state = counted.state
    runs.push(counted.run)
    if (counted.failure !== undefined) failures.push(counted.failure)
    if (kind === 'missed') state = expectNext(monitor, state, nowMs)
  }
  return { state, runs, failures, recoveries: [], refusal: undefined }
}

/** After a change of the schedule nothing is expected of the former one. */
function followRhythm({ rules, state }: MonitorInEnvironment, nowMs: number): MonitorState {
  if (state.rhythm === rules.rhythm || state.lastCheckInMs === undefined) return state
  const { schedule, timezone, rhythm } = rules
  const referenceMs = Math.max(state.lastCheckInMs, nowMs)
  const expectedAtMs = schedule && tickAfter(schedule, timezone, referenceMs)
  return { ...state, rhythm, expectedAtMs }
}

/** In the order in which they became failures. */
function dueFailures({ identity, rules, state, runs }: MonitorInEnvironment, nowMs: number) {
  const due: { kind: 'missed' | 'overrunning'; run: MonitorRun; atMs: number }[] = []
  const lateMs = lateAtMs(rules, state)
  if (state.expectedAtMs !== undefined && lateMs !== undefined && lateMs <= nowMs) {
    const { monitorId, environment } = identity
    const id = hexHash(['missed run', monitorId, environment, state.expectedAtMs])
    due.push({ kind: 'missed', run: missedRun(id, state.expectedAtMs), atMs: lateMs })
  }
  for (const run of runs.values()) {
    if (run.timeoutAtMs === undefined || nowMs < run.timeoutAtMs) continue
    const over: MonitorRun = { ...run, status: 'overrunning', timeoutAtMs: undefined }
    due.push({ kind: 'overrunning', run: over, atMs: run.timeoutAtMs })
  }
  return due.sort((a, b) => a.atMs - b.atMs || (a.run.id < b.run.id ? -1 : 1))
}

function expectNext(
  { rules: { schedule, timezone } }: MonitorInEnvironment,
  state: MonitorState,
  nowMs: number,
): MonitorState {
  const expectedMs = state.expectedAtMs
  if (schedule === undefined || expectedMs === undefined) {
    return { ...state, expectedAtMs: undefined }
  }
  return { ...state, expectedAtMs: tickFrom(schedule, timezone, { expectedMs, nowMs }) }
}

function missedRun(id: string, expectedAtMs: number): MonitorRun {
  return {
    id,
    status: 'missed',
    expectedAtMs,
    result: undefined,
    startedAtMs: undefined,
    closedAtMs: undefined,
    durationMs: undefined,
    timeoutAtMs: undefined,
    release: undefined,
    trace: undefined,
    eventId: undefined,
  }
}
