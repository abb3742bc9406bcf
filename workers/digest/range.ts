/** Input and output of a digest: a range of a partition's frames, and its rows and sums. */
import type { ProjectId } from '#schemas/ids.ts'
import type { ProjectsFilters } from '../alerts/alert-rules.ts'
import type { AttachmentRow } from '../attachments/attachment-row.ts'
import type { DeadLetter } from '../dead-letters/dead-letter.ts'
import type { Feedback } from '../feedback/parse-feedback.ts'
import type { IssueRules } from '../issue-owners/issue-rules.ts'
import type { CheckInRecord } from '../monitors/fold-monitor.ts'
import type { SessionSum } from '../release-health/parse-sessions.ts'
import type { SessionRelease } from '../release-health/session-tally.ts'
import type { Burst } from './bursting-kinds.ts'
import type { DroppedItems } from './count-dropped.ts'
import type { ItemId } from './free-records.ts'
import type { IssueSum, ReleaseSum } from './issue-sums.ts'
import type { LeaseCount } from './lease-tally.ts'
import type { StoredSettings } from './project-rules.ts'

/**
 * All input of a range except its frames that affects its rows. The plan stores it as JSON, and
 * every attempt at a planned range uses it again.
 */
export interface RangeSettings {
  readonly retentionDays: number
  /** Number of partitions of all streams; each gets its share of an issue's rate. */
  readonly partitionCount?: number
  /**
   * Rate above which only a sample of an issue's events is stored
   * (`projects.issue_events_per_minute`).
   */
  readonly issueEventsPerMinute?: readonly (readonly [ProjectId, number])[]
  /** Kinds of errors that are grouped coarsely, because they created too many issues. */
  readonly bursts?: readonly Burst[]
  /** Settings of the projects that have changed any (schemas/project-settings.ts). */
  readonly projectSettings?: StoredSettings
  /**
   * Ordinals (record-ordinal.ts) of records that ended their thread or that a store refused. They
   * become dead letters without being read.
   */
  readonly setAside?: readonly number[]
  /** The reason, for the dead letters. */
  readonly setAsideDetail?: string
}

export interface RangeInput extends RangeSettings {
  /** Not part of the plan: no row depends on it. */
  readonly issueRules?: readonly IssueRules[]
  /** Not part of the plan either. */
  readonly alertFilters?: readonly ProjectsFilters[]

  readonly partition: number
  readonly generation: number
  /** In the order of the stream. */
  readonly frames: readonly RangeFrame[]
  /** Ordinals found by `findDuplicates`; absent when there are none. */
  readonly duplicates?: Uint32Array
  readonly repeated?: Uint32Array
}

export interface RangeFrame {
  readonly streamSeq: number
  readonly bytes: Uint8Array
}

export interface RangeOutput {
  readonly eventRows: Uint8Array<ArrayBuffer>
  /** Accepted events: those with a row of their own and those that a sample row represents. */
  readonly eventCount: number
  readonly outcomeRows: Uint8Array<ArrayBuffer>
  readonly outcomeCount: number
  readonly issues: readonly IssueSum[]
  readonly releases: readonly ReleaseSum[]
  readonly deadLetters: readonly DeadLetter[]
  /**
   * Rows of the table `sessions`. Repeated or reordered rows mean the same, so no plan names them.
   */
  readonly sessionRows: Uint8Array<ArrayBuffer>
  readonly sessionSums: readonly SessionSum[]
  /** Releases that sessions were received for. */
  readonly sessionReleases: readonly SessionRelease[]
  /** Ids of records that are no events. The commit stores them; ids of events are in their rows. */
  readonly itemIds: readonly ItemId[]
  readonly feedback: readonly Feedback[]
  readonly attachments: readonly AttachmentRow[]
  /** In the order of the stream. */
  readonly checkIns: readonly CheckInRecord[]
  /**
   * Minutes that have passed by the records' times of receipt, ascending: the clock of monitors.
   */
  readonly minutes: readonly number[]
  /** Ordinals of the records whose ids enter the window (`enterAccepted`), ascending. */
  readonly acceptedRecords: Uint32Array<ArrayBuffer>
  readonly duplicateCount: number
  /** Items that were not stored, for metrics. */
  readonly dropped: readonly DroppedItems[]
  /** Ids of event records without a DSN key: events that the product made itself. */
  readonly ownEventIds: readonly string[]
  /** Rows of `dead_letters` whose records were retried in this range. The commit deletes them. */
  readonly retriedDeadLetterIds: readonly number[]
  readonly leases: readonly LeaseCount[]
  /** Events of which no alert rule was evaluated, because those of their project take too long. */
  readonly alertEventsSkipped: number
}
