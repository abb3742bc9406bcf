/**
 * The stores and streams that `PartitionDigest` uses, and what it relies on. The implementations
 * for Postgres, ClickHouse and NATS are in this folder, in `rows` and in `stream`; another one may
 * replace them if it keeps this contract.
 *
 *   atomic      all of it happens, or nothing
 *   fenced      throws `FencedError` and changes nothing when the partition's epoch is no longer
 *               the cursor's
 *   idempotent  a repeated call with the same arguments, after a failure or a lost answer, changes
 *               nothing more
 *
 * Any call may fail after it took effect, and may take effect long after its caller stopped waiting
 * for it.
 */
import type { Clock } from '#platform/clock.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { RangeNote } from '#schemas/range-note.ts'
import type { AlertRules } from '../alerts/alert-rules.ts'
import type { IdWindow } from '../dedup/id-window.ts'
import type { KnownIds, LateId } from '../dedup/known-ids.ts'
import type { Burst } from '../digest/bursting-kinds.ts'
import type { StoredSettings } from '../digest/project-rules.ts'
import type { RangeInput, RangeOutput, RangeSettings } from '../digest/range.ts'
import type { IssueRules } from '../issue-owners/issue-rules.ts'
import type { MonitorResult } from '../monitors/fold-monitor.ts'
import type { InstanceProgress } from './frame-progress.ts'

export interface LogMessage {
  readonly streamSeq: number
  readonly bytes: Uint8Array
  /** Time at which the broker stored it, by the broker's clock. */
  readonly storedAtMs?: number
}

/** Messages that a reader knows of and has not handed out. */
export interface WaitingMessages {
  readonly first: LogMessage | undefined
  readonly count: number
}

/** One partition of the stream in order, from a sequence on. Sequences ascend and may have gaps. */
export interface LogReader {
  /** Sequence of the last message that was read from the stream, whether it was taken or not. */
  readonly lastSeq: number
  /** Monotonic time since which the stream cannot be read; undefined while it is being read. */
  readonly interruptedSinceMs?: number | undefined
  /**
   * Returns the next messages, at most one full range of them (`rangeBytesMax`, `rangeFramesMax`),
   * or none when `deadlineMs` (monotonic) has passed or the reader was closed. Waits for more
   * messages until `notBeforeMs`, unless a full range is there.
   */
  take(
    clock: Clock,
    times: { readonly notBeforeMs: number; readonly deadlineMs: number },
  ): Promise<readonly LogMessage[]>
  /**
   * Returns all messages up to and including `toSeq`, after waiting until a message with this or a
   * later sequence was read: fewer, or none, when the stream no longer has them. Returns undefined
   * when the reader was closed.
   */
  takeThrough(toSeq: number): Promise<readonly LogMessage[] | undefined>
  /** Gives the memory of messages that were handed out back; they must not be used any more. */
  release?(messages: readonly LogMessage[]): void
  /** Only for metrics. */
  readonly waiting?: WaitingMessages
  close(): Promise<void>
}

/**
 * Runs `digestRange` in another thread. Rejects when it used more CPU time than `cpuMsMax`, or
 * ended its thread; with `DigestStarvedError` when its thread hardly got any CPU time.
 */
export type Digest = (input: RangeInput, cpuMsMax: number) => Promise<RangeOutput>

/** A digest did not end because other work used the machine's CPUs. A retry may succeed. */
export class DigestStarvedError extends Error {}

export interface StreamState {
  /** Creation time of the stream as the broker reports it. */
  readonly createdAt: string
  readonly lastSeq: number
}

export interface Cursor {
  readonly partition: number
  /** Incremented by every take-over. */
  readonly epoch: number
  /** Incremented when sequence numbers begin to mean other frames. Part of every row and token. */
  readonly generation: number
  readonly committedSeq: number
  /**
   * Above `committedSeq` when a range was planned and its commit is not known to have happened.
   */
  readonly plannedSeq: number
}

/** A write came from an owner that another one has replaced. */
export class FencedError extends Error {}

/** A backup is taking its point in time: no range is planned for some seconds. */
export class PlanHeldError extends Error {}

/**
 * A store refused the data of a range: a value out of range, a broken constraint, rows that it
 * cannot parse. A retry with the same data fails too, so the record that caused it has to be found.
 * Any other error of a store may be retried.
 */
export class DataRefusedError extends Error {}

/** The record of a range that Postgres keeps before any row of it is inserted. */
export interface RangePlan {
  readonly plannedSeq: number
  readonly settings: PlannedSettings
  /** RowBinary, exactly as the digest wrote them. */
  readonly outcomeRows: Uint8Array
}

export interface PlannedSettings extends RangeSettings {
  /** Hash of the event rows. An attempt with other rows must not use the tokens of this plan. */
  readonly rowsHash: string
  /**
   * First second of each week (from Monday, UTC) that an event row may fall in: the row store keeps
   * tokens by week.
   */
  readonly weeks: readonly number[]
}

export interface TakenPartition {
  /** Belongs to the former generation when `reset` is not `none`. */
  readonly cursor: Cursor
  /** Present when a range is planned and not committed. */
  readonly plan: RangePlan | undefined
  readonly frames: readonly InstanceProgress[]
  /**
   * `none`, or why the cursor refers to a different stream. In that case the caller undoes the plan
   * and then calls `beginGeneration`.
   */
  readonly reset: 'none' | 'new_stream' | 'tail_cut'
  /** Whether the last committed range must have a note in the row store. */
  readonly isNoted: boolean
}

export interface RangeCommit {
  readonly cursor: Cursor
  readonly output: RangeOutput
  /** Progress of the ingest instances that had frames in the range. */
  readonly frames: readonly InstanceProgress[]
  /** The rules whose filters `output` names. */
  readonly alertRules?: readonly AlertRules[]
}

export interface CommitResult {
  readonly newIssues: number
  readonly regressedIssues: number
  /** Absent when there were none. */
  readonly escalatedIssues?: number
  readonly returnedIssues?: number
  /** Alert rules that fired about issues. */
  readonly firedRules?: number
  /** Absent when the range had no check-ins. */
  readonly monitors?: MonitorResult
}

/** Cursors, and everything that must change in the same transaction. */
export interface RangeStore {
  /**
   * Increments the epoch, creates the cursor if there is none, and reads the plan and the digested
   * frames in one atomic step: nothing that a former owner does afterwards changes what was read.
   */
  takeOver(partition: number, stream: StreamState): Promise<TakenPartition>
  /**
   * Begins the next generation at the start of the given stream, and deletes the plan. Atomic,
   * fenced by epoch and generation. Only called when no row of the planned range can appear in the
   * row store any more (`RowStore.undo`).
   */
  beginGeneration(cursor: Cursor, stream: StreamState): Promise<Cursor>
  /**
   * Returns those of the given projects that sample issues above a rate (events per minute), in
   * ascending order.
   */
  readSamplers(projectIds: readonly ProjectId[]): Promise<readonly (readonly [ProjectId, number])[]>
  /** Returns the settings of those given projects that changed a default, in ascending order. */
  readSettings(projectIds: readonly ProjectId[]): Promise<StoredSettings>
  /**
   * Returns the kinds of errors of the given projects that reached the grouping limit, with their
   * hours.
   */
  readBursts(projectIds: readonly ProjectId[]): Promise<readonly Burst[]>
  /** Returns what those given projects look for in events that have rules for it. */
  readIssueRules(projectIds: readonly ProjectId[]): Promise<readonly IssueRules[]>
  /** Returns the alert rules about issues of those given projects that have any. */
  readAlertRules(projectIds: readonly ProjectId[]): Promise<readonly AlertRules[]>
  /**
   * Writes the plan of the range after `cursor.committedSeq`. Atomic, fenced, idempotent. Also
   * throws `FencedError` when another range is planned or `committedSeq` differs, and
   * `PlanHeldError`, before it changes anything, while a backup takes its point in time.
   */
  plan(cursor: Cursor, plan: RangePlan): Promise<Cursor>
  /**
   * Writes issues, releases, item ids, dead letters, frame progress, quota of the leases, and
   * `committedSeq = plannedSeq`. Atomic and fenced. A second call throws `FencedError` and changes
   * nothing, so after any failure call `readCursor` before a retry. Throws `DataRefusedError` when
   * Postgres refuses the data.
   */
  commit(commit: RangeCommit): Promise<CommitResult>
  /**
   * Does what `plan` and then `commit` would do, and rolls it back. Fenced, and throws
   * `DataRefusedError` as they would. `cursor` is the one before the plan.
   */
  rehearse(commit: RangeCommit, plan: RangePlan): Promise<void>
  /**
   * Adds to a new window the ids of the partition's items that commits have stored and that the
   * window would keep.
   */
  readItemIds(partition: number, window: IdWindow): Promise<void>
  /**
   * Returns for each id whether an item of the partition was committed with a time of receipt that
   * `repeats` it.
   */
  itemIdsAmong(partition: number, ids: readonly LateId[]): Promise<readonly boolean[]>
  /** Reads the current cursor, also when another process owns the partition. */
  readCursor(partition: number): Promise<Cursor>
}

export interface RowInsert {
  readonly table: 'events' | 'sessions' | 'outcomes'
  /** RowBinary. */
  readonly rows: Uint8Array
  readonly token: string
}

/** A planned range that is undone. `committedSeq` and `plannedSeq` are its bounds. */
export interface UndoneRange {
  readonly cursor: Cursor
  readonly plan: RangePlan
}

/** A position in the stream of a partition that the row store knows of. */
export interface StoredPosition {
  readonly generation: number
  readonly seq: number
  /** An undo of the range that ends here has begun. */
  readonly isUndone?: boolean
}

export interface RowStore {
  /**
   * Inserts rows. Idempotent by the token: in each part of the table (week for events and sessions,
   * month for outcomes) either all rows are inserted or none, and none when the token was used
   * there before, even with other rows. It may stop between two parts. Throws `DataRefusedError`
   * when the rows are refused; then none of them is inserted.
   */
  insert(insert: RowInsert): Promise<void>
  /**
   * Parses the rows as an insert would, and stores nothing. Throws `DataRefusedError` when they are
   * refused.
   */
  check(rows: Omit<RowInsert, 'token'>): Promise<void>
  /** Gives the memory of rows back, of a committed range; they must not be used any more. */
  release?(rows: Uint8Array): void
  /**
   * Removes the events and outcomes of the range, whether all, some or none of its rows had been
   * inserted; a later insert under its tokens changes nothing. Idempotent, and safe to interrupt at
   * any point. Sessions stay: digesting the same range again adds nothing to them. Rows that the
   * store refuses were never inserted. Throws while the store refuses all rows, including those
   * that it accepted before.
   */
  undo(range: UndoneRange): Promise<void>
  readonly knownIds: KnownIds
  /**
   * Stores what only Postgres would know of the planned range, for `admin reconcile`. Called before
   * any row of the range is inserted. Idempotent. Never throws `DataRefusedError`: no record is to
   * blame for a note.
   */
  note(cursor: Cursor, note: RangeNote): Promise<void>
  /**
   * Returns the latest position of the partition that a note or a recent event row names. It is
   * never beyond the plan in Postgres, unless an older Postgres was restored.
   */
  newestPosition(cursor: Cursor): Promise<StoredPosition | undefined>
}

/** Resolves after `ms` milliseconds, or as soon as the signal is aborted. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>
