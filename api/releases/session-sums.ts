/** What is asked about the sessions of releases, and the answer. */
import type { ProjectId } from '#schemas/ids.ts'

export interface SessionLookup {
  readonly projectId: ProjectId
  /** Undefined for all releases together. */
  readonly versions: readonly string[] | undefined
  readonly environment: string | undefined
  readonly sinceMs: number
  readonly untilMs: number
  /** The width of a time bucket; undefined for one bucket. */
  readonly stepSeconds: number | undefined
  /** The period has no day that can be summed yet. */
  readonly isRecent?: boolean
  /** Users and durations are not read: 0 and unknown. */
  readonly countsOnly?: boolean
}

export interface SessionSums {
  readonly sessions: number
  readonly users: number
  readonly crashedUsers: number
  readonly crashed: number
  readonly abnormal: number
  readonly unhandled: number
  /** Sessions with at least one error. */
  readonly erroredAny: number
  /** Undefined when unknown. Shares of a period with summed days are within 1 percent. */
  readonly durationMs:
    | { readonly mean: number; readonly p50: number; readonly p95: number }
    | undefined
}

export const noSessions: SessionSums = {
  sessions: 0,
  users: 0,
  crashedUsers: 0,
  crashed: 0,
  abnormal: 0,
  unhandled: 0,
  erroredAny: 0,
  durationMs: undefined,
}
