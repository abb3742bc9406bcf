/**
 * Counts the end of a run for the incident of its monitor: consecutive failures open it,
 * consecutive successes close it.
 */
import { createHash } from 'node:crypto'
import type {
  FailureKind,
  MonitorFailure,
  MonitorIdentity,
  MonitorRecovery,
  MonitorRules,
  MonitorRun,
  MonitorState,
} from './monitor-run.ts'

/** Upper bound of the counters; no threshold is higher. */
const inRowMax = 1_000_000

export interface CountedFailure {
  readonly state: MonitorState
  readonly run: MonitorRun
  /** Undefined if the failure creates no event. */
  readonly failure: MonitorFailure | undefined
}

export function countFailure(
  { identity, rules, state }: CountContext,
  { kind, run, atMs }: { kind: FailureKind; run: MonitorRun; atMs: number },
): CountedFailure {
  const failuresInRow = Math.min(inRowMax, state.failuresInRow + 1)
  const counted = { ...state, failuresInRow, successesInRow: 0 }
  const isOpen = state.incident !== undefined || rules.failureThreshold <= failuresInRow
  if (!isOpen) return { state: counted, run, failure: undefined }

  const before = state.incident ?? { kind, openedAtMs: atMs, lastEventMs: undefined }
  if (rules.muted) return { state: { ...counted, incident: before }, run, failure: undefined }
  const incident = { ...before, lastEventMs: Math.max(atMs, before.lastEventMs ?? atMs) }
  const failed = { ...run, eventId: failureEventId(identity, kind, run) }
  return {
    state: { ...counted, incident },
    run: failed,
    failure: { kind, run: failed, atMs, incident, lastOkMs: state.lastOkMs },
  }
}

export function countSuccess(
  { rules, state }: Omit<CountContext, 'identity'>,
  atMs: number,
): { readonly state: MonitorState; readonly recovery: MonitorRecovery | undefined } {
  const successesInRow = Math.min(inRowMax, state.successesInRow + 1)
  const lastOkMs = Math.max(atMs, state.lastOkMs ?? atMs)
  const counted = { ...state, failuresInRow: 0, successesInRow, lastOkMs }
  const { incident } = state
  if (incident === undefined || successesInRow < rules.recoveryThreshold) {
    return { state: counted, recovery: undefined }
  }
  return { state: { ...counted, incident: undefined }, recovery: { incident, atMs } }
}

interface CountContext {
  readonly identity: MonitorIdentity
  readonly rules: MonitorRules
  readonly state: MonitorState
}

/** Hash of the failure, so that an event that is sent twice is stored once. */
function failureEventId(
  { projectId, slug, environment }: MonitorIdentity,
  kind: FailureKind,
  run: MonitorRun,
): string {
  const at = run.startedAtMs ?? run.expectedAtMs
  return hexHash(['monitor event', projectId, slug, environment, kind, at, run.id])
}

/** 32 lowercase hex digits. */
export function hexHash(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}
