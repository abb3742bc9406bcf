/**
 * The loop of one owned partition. The steps always run in this order; this or another owner may
 * repeat every step.
 *
 *   take over    starts a new epoch; a range that the former owner planned and did not commit comes
 *                first
 *   read         reads the next range of the stream, or exactly the planned one
 *   decide       decides which frames are new and which records are duplicates, only from committed
 *                data
 *   digest       makes rows and sums: a pure function of the frames, these decisions and the
 *                settings
 *   plan         stores the range's end, the settings, a hash of the rows and the outcome rows
 *   insert       inserts rows under tokens of the range
 *   commit       writes sums, progress and the cursor in one transaction
 *
 *   crash after plan     the same range is read, digested to the same rows and inserted
 *   crash after insert   the tokens are the same: ClickHouse drops the repeated rows, and Postgres
 *                        has none of the range yet
 *   crash after commit   the next range begins after it
 *   a paused owner       its plan and its commit name an old epoch and fail; its insert repeats
 *                        known tokens
 *   frames are missing   the planned range cannot be digested to the same rows: it is undone, a new
 *                        generation begins at the start of the stream, and ingest resends the
 *                        frames that the progress does not contain
 */
import assert from 'node:assert'
import { enterAccepted } from '../dedup/find-duplicates.ts'
import type { RangeOutput } from '../digest/range.ts'
import type { PartitionPosition } from '../lag/partition-position.ts'
import {
  confirmOwner,
  type OwnedPartition,
  type PartitionContext,
  type PartitionSource,
  PostgresOlderError,
  startOver,
  takeOver,
} from '../ownership/owned-partition.ts'
import { reportCommit, reportFrames } from '../report-range.ts'
import type { FrameProgress } from './frame-progress.ts'
import {
  type CommitResult,
  type Cursor,
  DataRefusedError,
  FencedError,
  type LogMessage,
  type RangePlan,
} from './ports.ts'
import { probeStores, StoreFaultError } from './probe-stores.ts'
import { RangeInHand } from './range-in-hand.ts'
import { Refusals } from './refusals.ts'
import { storeRange } from './store-range.ts'

export type { PartitionContext, PartitionSource } from '../ownership/owned-partition.ts'

const idlePollMs = 1_000
const idleConfirmMs = 5_000
const retryDelayMinMs = 250
/** Longest delay between two attempts, so a store that recovers is used again within this time. */
const retryDelayMaxMs = 5_000
/**
 * Longest delay while a store refuses every record. A person has to repair it, so it is asked less
 * often than a store that does not answer.
 */
const storeFaultDelayMaxMs = 30_000
/**
 * How long a partition whose Postgres is older keeps its lock before it is released and compared
 * again. `admin reconcile` waits for the lock.
 */
const olderPauseMs = 3_000
/** Weight of the last range in the average of events per message. */
const eventsPerMessageWeight = 0.1

export class PartitionDigest {
  readonly #ctx: PartitionContext
  readonly #source: PartitionSource
  readonly #stop = new AbortController()
  #owned: OwnedPartition | undefined
  #range: RangeInHand | undefined
  /** Messages that were read for a range that was too large and had to be split. */
  #held: readonly LogMessage[] = []
  #nextRangeMs = 0
  readonly #refusals = new Refusals()
  #isPostgresOlder = false
  /** Monotonic time, see `waitingSinceMs`. */
  #waitingSinceMs: number | undefined
  /** Monotonic time of the last commit or take-over. */
  #committedAtMs: number
  #eventsPerMessage = 1

  constructor(ctx: PartitionContext, source: PartitionSource) {
    this.#ctx = ctx
    this.#source = source
    this.#committedAtMs = ctx.clock.monotonicMs()
  }

  /**
   * The incarnation of the stream that the loop reads, and the last sequence that must exist in it.
   * Undefined until the partition was taken over.
   */
  get reading(): { readonly incarnation: string; readonly neededSeq: number } | undefined {
    if (this.#owned === undefined) return undefined
    const { incarnation, log, cursor } = this.#owned
    return { incarnation, neededSeq: Math.max(log.lastSeq, cursor.plannedSeq) }
  }

  /**
   * Monotonic time since which messages, or the take-over itself, wait for a commit, or since which
   * the stream cannot be read; undefined while nothing waits. It does not change while the
   * partition is stuck.
   */
  get waitingSinceMs(): number | undefined {
    return this.#waitingSinceMs ?? this.#owned?.log.interruptedSinceMs
  }

  /**
   * Monotonic time since which a store refuses every record; undefined while both stores accept
   * records.
   */
  get storeFaultSinceMs(): number | undefined {
    return this.#refusals.storeFaultSinceMs
  }

  /** Where the loop is, for metrics. */
  get position(): PartitionPosition {
    const secondsSinceCommit = (this.#ctx.clock.monotonicMs() - this.#committedAtMs) / 1000
    const eventsPerMessage = this.#eventsPerMessage
    if (this.#owned === undefined) {
      return { secondsSinceCommit, eventsPerMessage, progress: undefined }
    }
    const { cursor, log } = this.#owned
    const inHand = this.#range?.messages ?? []
    const oldest = inHand[0] ?? this.#held[0] ?? log.waiting?.first
    return {
      secondsSinceCommit,
      eventsPerMessage,
      progress: {
        committedSeq: cursor.committedSeq,
        oldestStoredAtMs: oldest?.storedAtMs,
        messagesWaiting: inHand.length + this.#held.length + (log.waiting?.count ?? 0),
      },
    }
  }

  /** Whether the take-over found that Postgres is older than ClickHouse. */
  get isPostgresOlder(): boolean {
    return this.#isPostgresOlder
  }

  /**
   * Runs until `stop` is called, another owner has taken over, or Postgres is older than the rows.
   * No error ends it.
   */
  async run(): Promise<'stopped' | 'fenced' | 'postgres_older'> {
    let failures = 0
    try {
      while (!this.#stop.signal.aborted) {
        try {
          if (this.#owned === undefined) {
            this.#waitingSinceMs ??= this.#ctx.clock.monotonicMs()
            this.#owned = await this.#takeOver()
            this.#committedAtMs = this.#ctx.clock.monotonicMs()
            failures = 0
          }
          this.#range ??= await this.#nextRange(this.#owned)
          if (this.#range !== undefined) {
            this.#waitingSinceMs ??= this.#ctx.clock.monotonicMs()
            await this.#settle(this.#owned, this.#range)
          } else {
            this.#waitingSinceMs = undefined
            // An idle partition writes nothing that would be fenced, so it has to check that it is
            // still owned.
            await this.#idle(this.#owned)
          }
          failures = 0
        } catch (error) {
          if (error instanceof FencedError) return 'fenced'
          if (error instanceof PostgresOlderError) return await this.#waitForReconcile(error)
          if (this.#stop.signal.aborted && error === this.#stop.signal.reason) return 'stopped'
          failures += 1
          await this.#recover(error, failures)
        }
      }
      return 'stopped'
    } finally {
      this.#ctx.metrics.window.remove(this.#source.partition)
      this.#dropUncommitted()
      await this.#owned?.log.close()
    }
  }

  /** The current range is finished, unless it fails. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#owned?.log.close()
  }

  /** Nothing is lost meanwhile: messages stay in the stream, and frames in write-ahead logs. */
  async #waitForReconcile({ cursor, newest }: PostgresOlderError): Promise<'postgres_older'> {
    const { generation, plannedSeq } = cursor
    this.#isPostgresOlder = true
    this.#ctx.log.error(
      {
        code: 'postgres_is_older',
        partition: this.#source.partition,
        postgres: { generation, seq: plannedSeq },
        clickhouse: newest,
      },
      'ClickHouse has events that Postgres does not know: an older Postgres was restored. The partition is not digested until `npm run admin -- reconcile` has counted them.',
    )
    await this.#ctx.sleep(olderPauseMs, this.#stop.signal)
    return 'postgres_older'
  }

  async #takeOver(): Promise<OwnedPartition> {
    return this.#hold(await takeOver(this.#ctx, this.#source, this.#stop.signal))
  }

  /** Closes the log when `stop` was called during the take-over. */
  #hold(owned: OwnedPartition): OwnedPartition {
    if (this.#stop.signal.aborted) void owned.log.close()
    return owned
  }

  /** Undefined when no message came or the loop was stopped. */
  async #nextRange({
    cursor,
    plan,
    progress,
    log,
  }: OwnedPartition): Promise<RangeInHand | undefined> {
    if (plan !== undefined) {
      const messages = await log.takeThrough(plan.plannedSeq)
      return messages && this.#inHand(messages, progress, plan)
    }
    assert(cursor.plannedSeq === cursor.committedSeq)
    const { clock } = this.#ctx
    const messages =
      this.#held.length > 0
        ? this.#held
        : await log.take(clock, {
            notBeforeMs: this.#nextRangeMs,
            deadlineMs: clock.monotonicMs() + idlePollMs,
          })
    const { framesMax } = this.#refusals
    this.#held = messages.slice(framesMax)
    if (messages.length === 0) return undefined
    return this.#inHand(messages.slice(0, framesMax), progress, undefined)
  }

  #inHand(
    messages: readonly LogMessage[],
    progress: FrameProgress,
    plan: RangePlan | undefined,
  ): RangeInHand {
    const { metrics, log, clock, installationMark } = this.#ctx
    const startedMs = clock.monotonicMs()
    const range = new RangeInHand(messages, progress, plan, startedMs, installationMark)
    reportFrames(range, { partition: this.#source.partition, metrics, log })
    return range
  }

  async #settle(owned: OwnedPartition, range: RangeInHand): Promise<void> {
    const { clock, metrics, sleep } = this.#ctx
    const { signal } = this.#stop
    if (owned.plan !== undefined) {
      if (this.#refusals.isProbeDue) await this.#probe(owned.cursor, range)
      // mutant: undo-refused-range
      if (this.#refusals.areTooMany) return this.#undoRefused(owned, range)
    }
    const end = await range.digest(this.#ctx, {
      ...owned,
      stop: signal,
      isRehearsed: this.#refusals.isRehearsing(clock.monotonicMs()),
      probe: () => this.#probe(owned.cursor, range),
      givenUp: this.#refusals.givenUp,
    })
    if (end === 'too_much') {
      const [first, rest] = range.halves()
      this.#held = [...rest, ...this.#held]
      this.#range = this.#inHand(first, owned.progress, undefined)
      return
    }
    if (end === 'not_alike') return this.#startOver(owned)
    // mutant: release-frames
    const result = await this.#store(owned, range, end)
    const pauseMs = this.#refusals.noteCommit(range)

    this.#waitingSinceMs = undefined
    this.#committedAtMs = clock.monotonicMs()
    owned.progress = range.progress
    owned.cursor = { ...owned.cursor, committedSeq: owned.cursor.plannedSeq }
    owned.plan = undefined
    // mutant: enter-accepted-ids
    enterAccepted(owned.window, range.found, end.acceptedRecords)
    metrics.window.observe(this.#source.partition, owned.window)
    this.#range = undefined
    this.#nextRangeMs = range.startedMs + this.#source.rangeIntervalMs()
    metrics.rangeSeconds.observe((clock.monotonicMs() - range.startedMs) / 1000)
    this.#count(end, result, range.messages.length)
    owned.log.release?.(range.messages)
    this.#releaseRows(end)
    if (pauseMs > 0) await sleep(pauseMs, signal)
  }

  #releaseRows({ eventRows, sessionRows, outcomeRows }: RangeOutput): void {
    const { rows } = this.#ctx
    for (const each of [eventRows, sessionRows, outcomeRows]) rows.release?.(each)
  }

  /**
   * Counts refusals of planned ranges. Refusals during a rehearsal are not counted: the search for
   * the records handles them.
   */
  async #store(
    owned: OwnedPartition,
    range: RangeInHand,
    output: RangeOutput,
  ): Promise<CommitResult> {
    try {
      return await storeRange(this.#ctx, owned, range, output, this.#stop.signal)
    } catch (error) {
      if (error instanceof DataRefusedError) this.#refusals.note(error.message)
      throw error
    }
  }

  /**
   * Called before records are blamed for a refusal. Throws `StoreFaultError` while a store also
   * refuses records that the worker made itself: the plan stays, and no record is set aside. After
   * an hour of that, records are blamed nevertheless, so that the partition continues.
   */
  async #probe(cursor: Cursor, { lastSeq, projects }: RangeInHand): Promise<void> {
    const { clock, log } = this.#ctx
    const { partition } = this.#source
    const reason = await probeStores(this.#ctx, { cursor, plannedSeq: lastSeq, projects })
    // mutant: probe-before-blame
    if (reason === undefined) return this.#refusals.noteProbeTaken()
    if (this.#refusals.noteProbeRefused(clock.monotonicMs())) {
      log.error(
        { code: 'store_fault_ignored', partition, reason },
        'A store has refused every record for an hour; the refused records become dead letters now.',
      )
      return
    }
    log.error(
      { code: 'store_refuses_everything', partition, reason },
      'A store refuses even a test record of the worker, so its schema is broken. Retrying until it accepts records again.',
    )
    throw new StoreFaultError(`a store refuses every record: ${reason}`)
  }

  /**
   * A plan never changes, so a range that a store refuses is undone. Its frames are read again in
   * ranges that are rehearsed before they are planned, and the records that cause the refusal
   * become dead letters there. A range that is refused although its rehearsal succeeded is read
   * again as two, and in the end all records of a single frame become dead letters.
   */
  async #undoRefused(owned: OwnedPartition, range: RangeInHand): Promise<void> {
    const { partition } = this.#source
    this.#ctx.log.error(
      { code: 'range_refused', partition, refusals: this.#refusals.inARow },
      'A store refused the data of a range. Undoing the range and searching for the records that cause it.',
    )
    this.#refusals.noteUndo(range, this.#ctx.clock.monotonicMs())
    await this.#startOver(owned)
  }

  async #startOver(owned: OwnedPartition): Promise<void> {
    const { signal } = this.#stop
    const next = await startOver(this.#ctx, this.#source, owned, signal)
    this.#dropUncommitted()
    this.#owned = this.#hold(next)
    this.#refusals.noteUndone()
  }

  /**
   * Gives back the messages of the range in hand and of `#held`: this owner or the next one reads
   * them from the stream again.
   */
  #dropUncommitted(): void {
    const messages = [...(this.#range?.messages ?? []), ...this.#held]
    this.#range = undefined
    this.#held = []
    this.#owned?.log.release?.(messages)
  }

  async #idle(owned: OwnedPartition): Promise<void> {
    await confirmOwner(this.#ctx, owned, idleConfirmMs)
    const nothingWaits = owned.plan === undefined && this.#held.length === 0
    if (nothingWaits) await this.#ctx.monitors?.tickIdle(owned.cursor)
  }

  async #recover(error: unknown, failures: number): Promise<void> {
    const { log, metrics, sleep } = this.#ctx
    const { partition } = this.#source
    metrics.rangesFailed.inc()
    log.warn(
      { code: 'range_failed', partition, failures, err: error },
      'Processing of a partition failed; retrying from its cursor.',
    )
    const delayMaxMs = error instanceof StoreFaultError ? storeFaultDelayMaxMs : retryDelayMaxMs
    const delayMs = Math.min(delayMaxMs, retryDelayMinMs * 2 ** (failures - 1))
    await sleep(delayMs, this.#stop.signal)
  }

  #count(output: RangeOutput, result: CommitResult, messageCount: number): void {
    const eventsPerMessage = output.eventCount / Math.max(1, messageCount)
    this.#eventsPerMessage += eventsPerMessageWeight * (eventsPerMessage - this.#eventsPerMessage)
    reportCommit(output, result, this.#ctx)
  }
}
