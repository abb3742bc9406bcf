/**
 * Applies one check-in: it opens, extends or closes a run. Its time is the time of receipt, because
 * the protocol has no other. A refused check-in changes no run.
 */
import type { CheckIn } from '#schemas/wire/check-in.ts'
import { countFailure, countSuccess } from './count-result.ts'
import type {
  CheckInRefusal,
  MonitorInEnvironment,
  MonitorRun,
  MonitorState,
  MonitorStep,
} from './monitor-run.ts'
import { tickAfter } from './next-tick.ts'

export interface ReceivedCheckIn extends CheckIn {
  readonly receivedAtMs: number
  /** 32 lowercase hex digits; id of the run of a check-in that has no id. */
  readonly recordId: string
}

const minuteMs = 60_000
export const checkInsPerMinuteMax = 6
/** Maximum number of concurrent runs of a monitor in one environment. */
export const runningMax = 200
/** Longest run. Without this bound, check-ins could extend a run for ever. */
const runMsMax = 28 * 86_400_000

/** @param isForeign whether the id belongs to a run of another monitor or environment. */
export function applyCheckIn(
  monitor: MonitorInEnvironment,
  checkIn: ReceivedCheckIn,
  isForeign: boolean,
): MonitorStep {
  const state = countMinute(monitor.state, checkIn.receivedAtMs)
  const counted = { ...monitor, state }
  if (state === monitor.state) return refused(state, 'rate_limited')
  if (isForeign) return refused(state, 'id_in_use')
  const run = findRun(counted, checkIn)
  return checkIn.status === 'in_progress'
    ? applyProgress(counted, checkIn, run)
    : applyEnd(counted, checkIn, checkIn.status, run)
}

function applyProgress(
  monitor: MonitorInEnvironment,
  checkIn: ReceivedCheckIn,
  run: MonitorRun | undefined,
): MonitorStep {
  const { state, rules } = monitor
  const { receivedAtMs } = checkIn
  const timeoutAtMs = Math.floor(receivedAtMs / minuteMs) * minuteMs + rules.maxRuntimeMs
  if (run === undefined) {
    if (runningMax <= countRunning(monitor)) return refused(state, 'too_many_runs')
    const opened = { ...newRun(monitor, checkIn), startedAtMs: receivedAtMs, timeoutAtMs }
    return taken(expectAfter(monitor, receivedAtMs), { ...opened, status: 'running' })
  }
  // The end of the run arrived first.
  if (run.status !== 'running') return refused(state, undefined)
  const lastMs = (run.startedAtMs ?? receivedAtMs) + runMsMax
  const pushedMs = Math.min(Math.max(timeoutAtMs, run.timeoutAtMs ?? 0), lastMs)
  const heard = { ...run, ...facts(run, checkIn), timeoutAtMs: pushedMs }
  return taken(expectAfter(monitor, receivedAtMs), heard)
}

function applyEnd(
  monitor: MonitorInEnvironment,
  checkIn: ReceivedCheckIn,
  result: 'ok' | 'error',
  known: MonitorRun | undefined,
): MonitorStep {
  const { receivedAtMs } = checkIn
  if (known?.status === 'closed' || known?.status === 'missed') {
    return refused(monitor.state, 'already_finished')
  }
  const run = known ?? beginning(newRun(monitor, checkIn), checkIn)
  const startedAtMs = run.startedAtMs ?? receivedAtMs
  const durationMs = checkIn.durationMs ?? Math.abs(receivedAtMs - startedAtMs)
  const state = expectAfter(monitor, receivedAtMs)
  if (run.status === 'overrunning') {
    // The run has failed already and its event stays; only its duration is new, once.
    if (run.durationMs !== undefined) return refused(monitor.state, 'already_finished')
    return taken(state, { ...run, ...facts(run, checkIn), durationMs, closedAtMs: receivedAtMs })
  }
  const closed: MonitorRun = {
    ...run,
    ...facts(run, checkIn),
    status: 'closed',
    result,
    durationMs,
    closedAtMs: receivedAtMs,
    timeoutAtMs: undefined,
  }
  const context = { ...monitor, state }
  if (result === 'ok') {
    const counted = countSuccess(context, receivedAtMs)
    const recoveries = counted.recovery === undefined ? [] : [counted.recovery]
    return { ...taken(counted.state, closed), recoveries }
  }
  const counted = countFailure(context, { kind: 'error', run: closed, atMs: receivedAtMs })
  const failures = counted.failure === undefined ? [] : [counted.failure]
  return { ...taken(counted.state, counted.run), failures }
}

/**
 * Without an id the check-in belongs to the newest running run, or to the run that an earlier
 * delivery of it created.
 */
function findRun(
  { runs }: MonitorInEnvironment,
  { checkInId, recordId }: ReceivedCheckIn,
): MonitorRun | undefined {
  const own = runs.get(checkInId ?? recordId)
  if (checkInId !== undefined || own !== undefined) return own
  let newest: MonitorRun | undefined
  for (const run of runs.values()) {
    if (run.status !== 'running') continue
    if (newest === undefined || isNewer(run, newest)) newest = run
  }
  return newest
}

function isNewer(run: MonitorRun, other: MonitorRun): boolean {
  const since = (run.startedAtMs ?? 0) - (other.startedAtMs ?? 0)
  return since === 0 ? other.id < run.id : 0 < since
}

function countRunning({ runs }: MonitorInEnvironment): number {
  let count = 0
  for (const { status } of runs.values()) if (status === 'running') count += 1
  return count
}

function newRun({ state }: MonitorInEnvironment, checkIn: ReceivedCheckIn): MonitorRun {
  return {
    id: checkIn.checkInId ?? checkIn.recordId,
    status: 'closed',
    result: undefined,
    expectedAtMs: state.expectedAtMs,
    startedAtMs: undefined,
    closedAtMs: undefined,
    durationMs: undefined,
    timeoutAtMs: undefined,
    eventId: undefined,
    release: checkIn.release,
    trace: checkIn.trace,
  }
}

/** A job that reports only its end began at that time minus its duration. */
function beginning(run: MonitorRun, { receivedAtMs, durationMs = 0 }: ReceivedCheckIn): MonitorRun {
  return { ...run, status: 'running', startedAtMs: receivedAtMs - durationMs }
}

function facts(run: MonitorRun, { release, trace }: CheckIn) {
  return { release: release ?? run.release, trace: trace ?? run.trace }
}

/**
 * Every accepted check-in proves that the job runs; one that is not newer than the last changes
 * nothing.
 */
function expectAfter({ rules, state }: MonitorInEnvironment, receivedAtMs: number): MonitorState {
  if (state.lastCheckInMs !== undefined && receivedAtMs <= state.lastCheckInMs) return state
  const { schedule, timezone, rhythm } = rules
  const expectedAtMs = schedule && tickAfter(schedule, timezone, receivedAtMs)
  return { ...state, lastCheckInMs: receivedAtMs, expectedAtMs, rhythm }
}

/**
 * Returns the same state if the check-in exceeds the rate. One of an earlier minute is accepted and
 * not counted.
 */
function countMinute(state: MonitorState, receivedAtMs: number): MonitorState {
  const minuteAtMs = Math.floor(receivedAtMs / minuteMs) * minuteMs
  if (minuteAtMs < state.minuteAtMs) return { ...state }
  if (minuteAtMs > state.minuteAtMs) return { ...state, minuteAtMs, minuteCount: 1 }
  return state.minuteCount < checkInsPerMinuteMax
    ? { ...state, minuteCount: state.minuteCount + 1 }
    : state
}

function taken(state: MonitorState, run: MonitorRun): MonitorStep {
  return { state, runs: [run], failures: [], recoveries: [], refusal: undefined }
}

function refused(state: MonitorState, refusal: CheckInRefusal | undefined): MonitorStep {
  return { state, runs: [], failures: [], recoveries: [], refusal }
}
