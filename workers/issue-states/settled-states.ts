/** What a commit did to the states of the issues that its events belong to. */
import type { IssueChange } from '../commit/assign-issues.ts'

/** Why an issue is escalating: events received in an hour, and how many were expected. */
export interface Escalation {
  /** Start of the hour, in ISO 8601. */
  readonly hour: string
  readonly count: number
  readonly expected: number
  readonly limit: number
}

export interface Regression {
  /** The release whose event reopened the issue; null if the event named none. */
  readonly release: string | null
}

export interface SettledStates {
  /** The issues that got events, ordered by id. */
  readonly changes: readonly IssueChange[]
  /** By issue id: issues that were resolved and are open again. */
  readonly regressed: ReadonlyMap<string, Regression>
  /** By issue id: issues that got far more events than expected. */
  readonly escalated: ReadonlyMap<string, Escalation>
  /** Ignored issues that are open again, because a condition of ignoring has ended. */
  readonly returned: ReadonlySet<string>
}
