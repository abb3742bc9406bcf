/** Computes rates and shares from sums of sessions (Sentry session protocol). Pure. */
import type { ReleaseHealth, SeriesPoint } from '#schemas/rest/release.ts'
import type { SessionSums } from './session-sums.ts'

/** @param day the sessions of the last 24 hours, of the release and of the whole project. */
export function healthOf(
  sums: SessionSums,
  day: { readonly ofRelease: SessionSums; readonly ofProject: SessionSums },
): ReleaseHealth {
  const { durationMs } = sums
  return {
    ...countsOf(sums),
    adoption: share(day.ofRelease.sessions, day.ofProject.sessions),
    duration_seconds:
      durationMs === undefined
        ? null
        : {
            mean: seconds(durationMs.mean),
            p50: seconds(durationMs.p50),
            p95: seconds(durationMs.p95),
          },
  }
}

/** @param ofProject the sessions of all releases at that time. */
export function pointOf(sums: SessionSums, ofProject: SessionSums, atMs: number): SeriesPoint {
  const project_sessions = ofProject.sessions
  return { at: new Date(atMs).toISOString(), ...countsOf(sums), project_sessions }
}

function countsOf(sums: SessionSums): Omit<SeriesPoint, 'at' | 'project_sessions'> {
  const { sessions, users, crashed, abnormal, unhandled, erroredAny } = sums
  return {
    sessions,
    users,
    crashed,
    abnormal,
    unhandled,
    errored: Math.max(0, erroredAny - crashed - abnormal - unhandled),
    healthy: Math.max(0, sessions - erroredAny),
    crash_free_sessions: rest(crashed, sessions),
    crash_free_users: rest(sums.crashedUsers, users),
  }
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : rounded(part / whole)
}

function rest(part: number, whole: number): number | null {
  return whole === 0 ? null : rounded(1 - part / whole)
}

/** Six decimals distinguish one session in a million. */
function rounded(rate: number): number {
  return Math.round(Math.min(1, Math.max(0, rate)) * 1e6) / 1e6
}

function seconds(ms: number): number {
  return Math.round(ms) / 1000
}
