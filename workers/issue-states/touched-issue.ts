/** State of an issue after the counts of a range were added, if the range may have changed it. */
export interface TouchedIssue {
  readonly id: string
  readonly status: 'unresolved' | 'resolved' | 'ignored'
  readonly count: number
  readonly resolvedAt: Date | null
  readonly resolvedIn: 'now' | 'next_release' | 'release' | 'commit' | null
  readonly resolvedRelease: string | null
  readonly resolvedCommit: string | null
  readonly ignoredUntil: Date | null
  readonly ignoredUntilCount: number | null
  readonly ignoredUntilUsers: number | null
  readonly ignoredUntilEscalating: boolean
  /** Start of the hour of the latest receipt, and the events that were received in it. */
  readonly hourAt: Date
  readonly hourCount: number
  /** Null: it is not known, or the issue has no more than a few events. */
  readonly expected: number | null
  /** Null: nothing is known of how many events are usual, or it escalated within a day. */
  readonly hourLimit: number | null
}
