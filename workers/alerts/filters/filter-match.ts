/** The events of one issue sum that match a filter of alert rules. */
import type { StoredText } from '#schemas/stored-text.ts'

export interface MatchedEvent {
  /** 32 lowercase hex digits. */
  readonly eventId: string
  readonly release: StoredText
  readonly environment: StoredText
}

export interface FilterMatch {
  /** Index in the filters of the project (`readFilters`). */
  readonly filter: number
  readonly first: MatchedEvent
  /** Undefined if one event is enough for the rules of the filter. */
  readonly counted?: CountedEvents | undefined
}

export interface CountedEvents {
  readonly count: number
  readonly lastReceivedMs: number
  /** Events by the minute of their receipt, since 1970. */
  readonly minutes: readonly (readonly [minute: number, count: number])[]
  /** Hashes of users; at most `matchedUsersMax`. */
  readonly users: readonly number[]
  /** The first event of each release; at most `matchedReleasesMax`. */
  readonly releases: readonly MatchedEvent[]
}

/** Events of further minutes count in the last one. A range seldom spans more than one minute. */
export const matchedMinutesMax = 240
/** Further users of a range are counted when a later range names them. */
export const matchedUsersMax = 1_000
/** Further releases of a range are looked at when a later range names them. */
export const matchedReleasesMax = 32
