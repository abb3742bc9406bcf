/** Decides what becomes of the last range that ClickHouse knows of a partition. */
import type { RangeNote, RangePlace } from '#schemas/range-note.ts'

export interface NotedRange extends RangePlace {
  readonly note: RangeNote
  /** Whether a worker has begun to undo the range. */
  readonly isUndone: boolean
}

export interface LastRangeFacts {
  /** Whether the broker still has every message of the range in the same stream. */
  readonly canReplay: boolean
  readonly hasEventRows: boolean
}

/**
 * `kept`: the range counts as committed. `planned`: it is planned and not committed, and the worker
 * that takes the partition over replays or undoes it as after a crash. `undone`: as `planned`, and
 * the worker must undo it, because an undo has begun.
 */
export type LastRangeEnd = 'kept' | 'planned' | 'undone'

/**
 * Every range before the last one is complete, because a worker commits a range before it plans the
 * next. Whether the last one was committed is lost with Postgres.
 *
 *   an undo has begun                       it has to be finished: rows may be deleted
 *   the stream has all of its messages      replayed under the same tokens, it adds what is missing
 *   messages are gone, its rows are there   only a commit lets messages be purged: it is complete
 *   messages are gone, its rows are not     it was never inserted: ingest sends its frames again
 */
export function endLastRange(
  { isUndone, note }: Pick<NotedRange, 'isUndone' | 'note'>,
  { canReplay, hasEventRows }: LastRangeFacts,
): LastRangeEnd {
  if (isUndone) return 'undone'
  if (canReplay) return 'planned'
  return hasEventRows || !expectsEventRows(note) ? 'kept' : 'planned'
}

/** The hash of rows begins with their length in bytes. */
function expectsEventRows({ settings }: RangeNote): boolean {
  return !settings.rowsHash.startsWith('0:')
}
