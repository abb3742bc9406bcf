/**
 * The loop of one owned partition. In this order, always; every step may be repeated by this or another owner.
 *
 *   take over    a new epoch; what a predecessor planned and did not commit comes first
 *   read         the next range of the log, or exactly the planned one
 *   decide       which frames are fresh and which records are copies, from what is committed and nothing else
 *   digest       rows and sums: a pure function of the frames, these decisions and the settings
 *   plan         the range's end, the settings, a hash of the rows and the outcome rows are written down
 *   insert       rows, under tokens of the range
 *   commit       sums, progress and the cursor in one transaction
 *
 *   crash after plan     the same range is read, digested alike and inserted
 *   crash after insert   the same tokens: ClickHouse drops the repeated rows, Postgres never saw the first
 *   crash after commit   the next range begins behind it
 *   an owner that slept  its plan and its commit name an old epoch and fail; its insert repeats known tokens
 *   frames are gone      the planned range cannot be digested alike: it is undone, a new generation begins at the start of the
 *                        stream, and ingest sends again what the progress does not name
 */
import type { Clock } from '#platform/clock.ts'
import { failpoint } from '#platform/failpoint.ts'
import type { Logger } from '#platform/logger.ts'
import { enterAccepted } from '../dedup/find-duplicates.ts'
import { IdWindow } from '../dedup/id-window.ts'
import type { RangeOutput } from '../digest/digest-range.ts'
import type { WorkerMetrics } from '../metrics.ts'
import { FrameProgress } from './frame-progress.ts'
import {
  type CommitResult,
  type Cursor,
  type Digest,
  FencedError,
  type LogMessage,
  type LogReader,
  type RangePlan,
  type RangeStore,
  type RowStore,
  RowsRefusedError,
  rangeToken,
  type Sleep,
  type StreamState,
} from './ports.ts'
import { RangeInHand } from './range-in-hand.ts'

export interface PartitionContext {
  readonly ranges: RangeStore
  readonly rows: RowStore
  readonly digest: Digest
  readonly clock: Clock
  readonly sleep: Sleep
  readonly log: Logger
  readonly metrics: WorkerMetrics
  readonly retentionDays: number
  /** Partitions of all streams together. */
  readonly partitionCount: number
}

export interface PartitionSource {
  readonly partition: number
  /** The stream as it is now. */
  readonly readStream: () => Promise<StreamState>
  /** Reads behind the given sequence. */
  readonly openLog: (afterSeq: number) => LogReader
}

/**
 * At the most one range a second while events keep coming, since every insert makes a part in ClickHouse;
 * at once when the partition was idle, so that a person sees an error the moment it happens.
 */
const rangeIntervalMs = 1_000
const idlePollMs = 1_000
const retryDelayMinMs = 250
/** A store that comes back is used again within this time. */
const retryDelayMaxMs = 5_000
const refusedDelayMs = 30_000
/** An owner that cannot say it was one so recently asks before it inserts. */
const insertAfterPlanMs = 10_000

interface Owned {
  cursor: Cursor
  /** Of a predecessor; digested again before anything else. */
  plan: RangePlan | undefined
  progress: FrameProgress
  readonly window: IdWindow
  readonly log: LogReader
  readonly incarnation: string
}

export class PartitionDigest {
  readonly #ctx: PartitionContext
  readonly #source: PartitionSource
  readonly #stop = new AbortController()
  #owned: Owned | undefined
  #range: RangeInHand | undefined
  /** Taken from the log for a range that turned out too much for one. */
  #held: readonly LogMessage[] = []
  #nextRangeMs = 0
  #ownerAtMs = 0

  constructor(ctx: PartitionContext, source: PartitionSource) {
    this.#ctx = ctx
    this.#source = source
  }

  /**
   * What the loop relies on: the stream it reads, and the last sequence of it that must be there. Undefined until the
   * partition was taken over.
   */
  get reading(): { readonly incarnation: string; readonly neededSeq: number } | undefined {
    if (this.#owned === undefined) return undefined
    const { incarnation, log, cursor } = this.#owned
    return { incarnation, neededSeq: Math.max(log.lastSeq, cursor.plannedSeq) }
  }

  /** Runs until `stop`, or until another owner has taken over. Nothing else ends it. */
  async run(): Promise<'stopped' | 'fenced'> {
    let failures = 0
    try {
      while (!this.#stop.signal.aborted) {
        try {
          this.#owned ??= await this.#takeOver()
          this.#range ??= await this.#nextRange(this.#owned)
          if (this.#range === undefined) continue
          await this.#settle(this.#owned, this.#range)
          failures = 0
        } catch (error) {
          if (error instanceof FencedError) return 'fenced'
          failures += 1
          await this.#recover(error, failures)
        }
      }
      return 'stopped'
    } finally {
      this.#ctx.metrics.window.forget(this.#source.partition)
      await this.#owned?.log.close()
    }
  }

  /** Lets the range in hand finish, unless it fails. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#owned?.log.close()
  }

  async #takeOver(): Promise<Owned> {
    const { ranges, rows, log, clock, metrics } = this.#ctx
    const { partition, readStream } = this.#source
    const stream = await readStream()
    const taken = await ranges.takeOver(partition, stream)
    let { cursor, plan } = taken
    if (taken.reset !== 'none') {
      log.error(
        { code: `stream_${taken.reset}`, partition, ...stream, plannedSeq: cursor.plannedSeq },
        'The stream no longer holds what was read of it; it is read from its start.',
      )
      if (plan !== undefined) await rows.undo({ cursor, plan })
      plan = undefined
      cursor = await ranges.beginGeneration(cursor, stream)
    }
    const window = new IdWindow()
    const readMs = clock.monotonicMs()
    await rows.knownIds.read(cursor, window)
    metrics.window.rebuildSeconds.observe((clock.monotonicMs() - readMs) / 1000)
    metrics.window.observe(partition, window)
    const { epoch, generation, committedSeq } = cursor
    log.info(
      { code: 'partition_owned', partition, epoch, generation, committedSeq, ids: window.size },
      'A partition was taken over.',
    )
    this.#ownerAtMs = 0
    return {
      cursor,
      plan,
      progress: new FrameProgress(taken.frames),
      window,
      log: this.#openLog(cursor),
      incarnation: stream.createdAt,
    }
  }

  #openLog({ committedSeq }: Cursor): LogReader {
    const reader = this.#source.openLog(committedSeq)
    if (this.#stop.signal.aborted) void reader.close()
    return reader
  }

  /** Undefined: nothing came, or stopped. */
  async #nextRange({ cursor, plan, progress, log }: Owned): Promise<RangeInHand | undefined> {
    if (plan !== undefined) {
      const messages = await log.takeThrough(plan.plannedSeq)
      return messages && this.#inHand(messages, progress, plan)
    }
    const { clock } = this.#ctx
    const messages =
      this.#held.length > 0
        ? this.#held
        : await log.take(clock, {
            notBeforeMs: this.#nextRangeMs,
            deadlineMs: clock.monotonicMs() + idlePollMs,
          })
    this.#held = []
    if (messages.length === 0 || cursor.plannedSeq !== cursor.committedSeq) return undefined
    return this.#inHand(messages, progress, undefined)
  }

  #inHand(
    messages: readonly LogMessage[],
    progress: FrameProgress,
    plan: RangePlan | undefined,
  ): RangeInHand {
    const { metrics, log, clock } = this.#ctx
    const range = new RangeInHand(messages, progress, plan, clock.monotonicMs())
    metrics.framesRepeated.inc(range.repeatedCount)
    metrics.framesRefused.inc(range.refusedCount)
    if (range.refusedCount > 0) {
      log.error(
        {
          code: 'frames_refused',
          partition: this.#source.partition,
          frameCount: range.refusedCount,
        },
        'Frames are left to be sent again: their process has more gaps than are kept.',
      )
    }
    return range
  }

  async #settle(owned: Owned, range: RangeInHand): Promise<void> {
    const end = await range.digest(this.#ctx, { ...owned, stop: this.#stop.signal })
    if (end === 'too_much') {
      const [first, rest] = range.halves()
      this.#held = [...rest, ...this.#held]
      this.#range = this.#inHand(first, owned.progress, undefined)
      return
    }
    if (end === 'not_alike') {
      await this.#startOver(owned, range)
      return
    }
    if (range.plan === undefined) await this.#plan(owned, range)
    const result = await this.#insertAndCommit(owned, range, end)

    const { clock, metrics } = this.#ctx
    owned.progress = range.progress
    owned.cursor = { ...owned.cursor, committedSeq: owned.cursor.plannedSeq }
    owned.plan = undefined
    enterAccepted(owned.window, range.found, end.acceptedRecords)
    metrics.window.observe(this.#source.partition, owned.window)
    this.#range = undefined
    this.#nextRangeMs = range.startedMs + rangeIntervalMs
    metrics.rangeSeconds.observe((clock.monotonicMs() - range.startedMs) / 1000)
    this.#count(end, result)
  }

  async #plan(owned: Owned, range: RangeInHand): Promise<void> {
    const askedMs = this.#ctx.clock.monotonicMs()
    const plan = range.toPlan()
    failpoint('workers.before_plan')
    owned.cursor = await this.#ctx.ranges.plan(owned.cursor, plan)
    owned.plan = plan
    range.plan = plan
    this.#ownerAtMs = askedMs
    failpoint('workers.after_plan')
  }

  async #insertAndCommit(
    owned: Owned,
    range: RangeInHand,
    output: RangeOutput,
  ): Promise<CommitResult> {
    const { cursor } = owned
    if (range.commitTried && (await this.#isCommitted(cursor))) return unknownResult
    const { eventCount, eventRows, outcomeCount, outcomeRows } = output
    if (eventCount > 0) await this.#insert(cursor, 'events', eventRows)
    failpoint('workers.after_insert_events')
    if (outcomeCount > 0) await this.#insert(cursor, 'outcomes', outcomeRows)
    failpoint('workers.after_insert')
    range.commitTried = true
    failpoint('workers.before_commit')
    try {
      const frames = range.progress.changes()
      const result = await this.#ctx.ranges.commit({ cursor, output, frames })
      failpoint('workers.after_commit')
      return result
    } catch (error) {
      // Another owner, or this very commit, whose answer was lost before.
      if (error instanceof FencedError && (await this.#isCommitted(cursor))) return unknownResult
      throw error
    }
  }

  async #insert(cursor: Cursor, table: 'events' | 'outcomes', rows: Uint8Array): Promise<void> {
    const { clock } = this.#ctx
    // Tokens are remembered for long and not for ever, so who has slept for hours must not insert on waking.
    while (clock.monotonicMs() - this.#ownerAtMs > insertAfterPlanMs) {
      const askedMs = clock.monotonicMs()
      await this.#readCursor(cursor)
      this.#ownerAtMs = askedMs
    }
    await this.#ctx.rows.insert({ table, rows, token: rangeToken(cursor, table) })
  }

  async #isCommitted(cursor: Cursor): Promise<boolean> {
    const now = await this.#readCursor(cursor)
    return now.generation === cursor.generation && now.committedSeq === cursor.plannedSeq
  }

  async #readCursor({ partition, epoch }: Cursor): Promise<Cursor> {
    const now = await this.#ctx.ranges.readCursor(partition)
    if (now.epoch !== epoch) throw new FencedError(`partition ${partition} has another owner`)
    return now
  }

  /** What a predecessor planned cannot be digested alike: its rows go, and the stream is read from its start. */
  async #startOver(owned: Owned, { plan }: RangeInHand): Promise<void> {
    const { ranges, rows, log, metrics } = this.#ctx
    const { partition, readStream } = this.#source
    const { committedSeq, plannedSeq } = owned.cursor
    if (plan === undefined) throw new Error('only a planned range can be undone')
    log.error(
      { code: 'range_undone', partition, committedSeq, plannedSeq },
      'A planned range cannot be digested as it was planned; it is undone.',
    )
    const stream = await readStream()
    await rows.undo({ cursor: owned.cursor, plan })
    const cursor = await ranges.beginGeneration(owned.cursor, stream)
    metrics.rangesUndone.inc()
    await owned.log.close()
    this.#held = []
    this.#range = undefined
    this.#owned = {
      ...owned,
      cursor,
      plan: undefined,
      log: this.#openLog(cursor),
      incarnation: stream.createdAt,
    }
  }

  async #recover(error: unknown, failures: number): Promise<void> {
    const { log, metrics, sleep } = this.#ctx
    const { partition } = this.#source
    metrics.rangesFailed.inc()
    if (error instanceof RowsRefusedError) {
      log.error(
        { code: 'rows_refused', partition, failures, err: error },
        'ClickHouse calls the rows of a range wrong; the range is kept and tried again.',
      )
      await sleep(refusedDelayMs, this.#stop.signal)
      return
    }
    log.warn(
      { code: 'range_failed', partition, failures, err: error },
      'A range was not digested; the same range is tried again.',
    )
    const delayMs = Math.min(retryDelayMaxMs, retryDelayMinMs * 2 ** (failures - 1))
    await sleep(delayMs, this.#stop.signal)
  }

  #count(output: RangeOutput, result: CommitResult): void {
    const { metrics, log } = this.#ctx
    metrics.eventsDigested.inc(output.eventCount)
    metrics.window.duplicates.inc(output.duplicateCount)
    metrics.issuesCreated.inc(result.newIssues)
    metrics.issuesRegressed.inc(result.regressedIssues)
    for (const { projectId, reason, detail } of output.deadLetters) {
      log.error(
        { code: 'dead_letter', projectId, reason, detail },
        'A record could not be digested; it is kept in dead_letters.',
      )
    }
  }
}

/** The commit took place, and what it would have said is not known. */
const unknownResult: CommitResult = { newIssues: 0, regressedIssues: 0 }
