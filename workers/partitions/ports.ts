/**
 * What `PartitionDigest` needs of the world, and what it relies on. Postgres, ClickHouse and the
 * broker stand behind these interfaces in the product (workers/io); others may stand behind them as
 * long as they keep to what is written here.
 *
 *   atomic      all of it happens, or nothing
 *   fenced      throws `FencedError` and changes nothing when the partition's epoch is no longer the cursor's
 *   idempotent  called again with the same arguments, after it failed or after its answer was lost, it changes nothing more
 *
 * Any call may fail after it has had its effect, and may have its effect long after its caller gave
 * up on it.
 */
import type { Clock } from '#platform/clock.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { IdWindow } from '../dedup/id-window.ts'
import type { KnownIds, LateId } from '../dedup/known-ids.ts'
import type { Burst } from '../digest/bursting-kinds.ts'
import type { StoredSettings } from '../digest/project-rules.ts'
import type { RangeInput, RangeOutput, RangeSettings } from '../digest/range.ts'
import type { MonitorResult } from '../monitors/fold-monitor.ts'
import type { InstanceProgress } from './frame-progress.ts'

export interface LogMessage {
  readonly streamSeq: number
  readonly bytes: Uint8Array
}

/** One partition of the stream in order, from a sequence on. Sequences ascend and may have gaps. */
export interface LogReader {
  /** Sequence of the last message that was read from the stream, taken or not. */
  readonly lastSeq: number
  /**
   * The next messages, at most one full range of them (`rangeBytesMax`, `rangeFramesMax`); none
   * when `deadlineMs` (monotonic) has passed or the reader was closed. Waits until `notBeforeMs`
   * for more to come, unless a full range is there.
   */
  take(
    clock: Clock,
    times: { readonly notBeforeMs: number; readonly deadlineMs: number },
  ): Promise<readonly LogMessage[]>
  /**
   * All messages up to and including `toSeq`, waiting until a message with this or a later sequence
   * was read: fewer, or none, when the stream no longer has them. Undefined when the reader was
   * closed.
   */
  takeThrough(toSeq: number): Promise<readonly LogMessage[] | undefined>
  close(): Promise<void>
}

/**
 * `digestRange` somewhere else. Rejects when it needed more CPU time than that, or took its thread
 * with it; with `DigestStarvedError` when its thread hardly got to run.
 */
export type Digest = (input: RangeInput, cpuMsMax: number) => Promise<RangeOutput>

/** A digest did not end because the machine is busy with something else. A retry may pass. */
export class DigestStarvedError extends Error {}

export interface StreamState {
  /** Creation time of the stream as the broker reports it. */
  readonly createdAt: string
  readonly lastSeq: number
}

export interface Cursor {
  readonly partition: number
  /** Raised by every take-over. */
  readonly epoch: number
  /** Raised when sequence numbers begin to mean other frames. In every row and token. */
  readonly generation: number
  readonly committedSeq: number
  /** Above `committedSeq` when a range was planned whose commit is not known. */
  readonly plannedSeq: number
}

/** A write came from an owner that has been replaced. */
export class FencedError extends Error {}

/**
 * A store refused the data of a range itself: a value out of range, a broken constraint, rows it
 * cannot parse. The same data is refused again, so the record it came from has to be found. Any
 * other error of a store is worth a retry.
 */
export class DataRefusedError extends Error {}

/** What is written down of a range before anything of it is inserted. */
export interface RangePlan {
  readonly plannedSeq: number
  readonly settings: PlannedSettings
  /** As the digest made them, RowBinary. */
  readonly outcomeRows: Uint8Array
}

export interface PlannedSettings extends RangeSettings {
  /**
   * A hash of the event rows: an attempt that makes others must not use the tokens of this plan.
   */
  readonly rowsHash: string
  /**
   * Of each week (from Monday, UTC) that an event row may fall in, the first second: the row store
   * keeps tokens by week.
   */
  readonly weeks: readonly number[]
}

export interface TakenPartition {
  /** Of the former generation, when `reset` is not `none`. */
  readonly cursor: Cursor
  /** Present when a range is planned and not committed. */
  readonly plan: RangePlan | undefined
  readonly frames: readonly InstanceProgress[]
  /**
   * Other than `none`: the stream is not the one the cursor speaks of. Undo what is planned, then
   * `beginGeneration`.
   */
  readonly reset: 'none' | 'new_stream' | 'tail_cut'
}

export interface RangeCommit {
  readonly cursor: Cursor
  readonly output: RangeOutput
  /** Progress of the boots that had frames in the range. */
  readonly frames: readonly InstanceProgress[]
}

export interface CommitResult {
  readonly newIssues: number
  readonly regressedIssues: number
  /** Left out: there were none. */
  readonly monitors?: MonitorResult
}

/** Where partitions stand, and everything that must move together with it. */
export interface RangeStore {
  /**
   * Raises the epoch, making the cursor when there is none, and reads what was planned and which
   * frames were digested, in one atomic step: nothing that a former owner does afterwards changes
   * what was read.
   */
  takeOver(partition: number, stream: StreamState): Promise<TakenPartition>
  /**
   * Atomic, fenced by epoch and by generation: the next generation begins at the start of the given
   * stream, and no plan is left. Only called when no row of the planned range can appear in the row
   * store any more (`RowStore.undo`).
   */
  beginGeneration(cursor: Cursor, stream: StreamState): Promise<Cursor>
  /**
   * Of the given projects, those that sample issues above a rate (events a minute), in ascending
   * order.
   */
  readSamplers(projectIds: readonly ProjectId[]): Promise<readonly (readonly [ProjectId, number])[]>
  /** Of the given projects, those that have chosen something, in ascending order. */
  readSettings(projectIds: readonly ProjectId[]): Promise<StoredSettings>
  /** Of the given projects, the kinds of errors that made too many issues, with their hours. */
  readBursts(projectIds: readonly ProjectId[]): Promise<readonly Burst[]>
  /**
   * Atomic, fenced, idempotent: writes the plan of the range behind `cursor.committedSeq`. Also
   * throws `FencedError` when another range is planned or the committed place is another one.
   */
  plan(cursor: Cursor, plan: RangePlan): Promise<Cursor>
  /**
   * Atomic and fenced: issues, releases, item ids, dead letters, frame progress, quota of the
   * leases, and `committedSeq = plannedSeq`. A second time it throws `FencedError` and changes
   * nothing, so after any failure ask `readCursor` before trying again. Throws `DataRefusedError`
   * when what it writes is refused.
   */
  commit(commit: RangeCommit): Promise<CommitResult>
  /**
   * Does what `plan` and then `commit` would do, and undoes all of it. Fenced, and throws
   * `DataRefusedError` as they would. `cursor` is the one before the plan.
   */
  rehearse(commit: RangeCommit, plan: RangePlan): Promise<void>
  /**
   * Enters the ids of the partition's items into a new window: all that commits have left there and
   * that it would keep.
   */
  readItemIds(partition: number, window: IdWindow): Promise<void>
  /**
   * For each id whether an item of the partition was committed with a time of receipt that
   * `repeats` it.
   */
  itemIdsAmong(partition: number, ids: readonly LateId[]): Promise<readonly boolean[]>
  /** The cursor as it is now, whoever owns it. */
  readCursor(partition: number): Promise<Cursor>
}

export interface RowInsert {
  readonly table: 'events' | 'sessions' | 'outcomes'
  /** RowBinary. */
  readonly rows: Uint8Array
  readonly token: string
}

/** A planned range that is taken back. `committedSeq` and `plannedSeq` bound it. */
export interface UndoneRange {
  readonly cursor: Cursor
  readonly plan: RangePlan
}

export interface RowStore {
  /**
   * Idempotent by the token: in each part of the table (week for events and sessions, month for
   * outcomes) rows come in whole or not at all, and not when the token was used there before,
   * whatever they are. It may stop between two parts. Throws `DataRefusedError` when the rows are
   * refused; then none of them is in.
   */
  insert(insert: RowInsert): Promise<void>
  /**
   * Parses the rows as an insert would and stores nothing. Throws `DataRefusedError` when they are
   * refused.
   */
  check(rows: Omit<RowInsert, 'token'>): Promise<void>
  /**
   * Idempotent, and safe to be interrupted anywhere: afterwards events and outcomes say nothing of
   * the range, whether all, some or none of its rows had been inserted, and an insert under its
   * tokens that comes later changes nothing. Sessions stay: whoever sends the range again adds
   * nothing to them. Rows that are refused are not in, and need no undoing; it throws while the
   * store refuses all rows, those included that it took before.
   */
  undo(range: UndoneRange): Promise<void>
  readonly knownIds: KnownIds
}

/** Tokens of a range, the same for everyone who ever attempts it. */
export function rangeToken(cursor: Cursor, table: RowInsert['table']): string {
  // mutant: token-does-not-name-generation
  const { partition, generation, committedSeq, plannedSeq } = cursor
  return `p${partition}:${generation}:${committedSeq}-${plannedSeq}:${table}`
}

/** Resolves after so many milliseconds, or as soon as the signal says so. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>
