/**
 * The loop of one owned partition. In this order, always; every step may be repeated by this or
 * another owner.
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
import { enterAccepted } from '../dedup/find-duplicates.ts'
import type { RangeOutput } from '../digest/range.ts'
import {
  confirmOwner,
  type OwnedPartition,
  type PartitionContext,
  type PartitionSource,
  startOver,
  takeOver,
} from '../ownership/owned-partition.ts'
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
/** A store that comes back is used again within this time. */
const retryDelayMaxMs = 5_000
/**
 * A store that refuses every record is repaired by a person: it is asked less often than one that
 * does not answer.
 */
const storeFaultDelayMaxMs = 30_000
/** Of the foreign frames of a range. */
const foreignLoggedMax = 10

export class PartitionDigest {
  readonly #ctx: PartitionContext
  readonly #source: PartitionSource
  readonly #stop = new AbortController()
  #owned: OwnedPartition | undefined
  #range: RangeInHand | undefined
  /** Taken from the log for a range that turned out too much for one. */
  #held: readonly LogMessage[] = []
  #nextRangeMs = 0
  readonly #refusals = new Refusals()
  /** Monotonic. */
  #waitingSinceMs: number | undefined

  constructor(ctx: PartitionContext, source: PartitionSource) {
    this.#ctx = ctx
    this.#source = source
  }

  /**
   * What the loop relies on: the stream it reads, and the last sequence of it that must be there.
   * Undefined until the partition was taken over.
   */
  get reading(): { readonly incarnation: string; readonly neededSeq: number } | undefined {
    if (this.#owned === undefined) return undefined
    const { incarnation, log, cursor } = this.#owned
    return { incarnation, neededSeq: Math.max(log.lastSeq, cursor.plannedSeq) }
  }

  /**
   * Monotonic time since which messages, or the take-over itself, wait for a commit; undefined
   * while nothing waits. A partition that is stuck keeps its time.
   */
  get waitingSinceMs(): number | undefined {
    return this.#waitingSinceMs
  }

  /**
   * Monotonic time since which a store refuses every record; undefined while the stores are sound.
   */
  get storeFaultSinceMs(): number | undefined {
    return this.#refusals.storeFaultSinceMs
  }

  /** Runs until `stop`, or until another owner has taken over. Nothing else ends it. */
  async run(): Promise<'stopped' | 'fenced'> {
    let failures = 0
    try {
      while (!this.#stop.signal.aborted) {
        try {
          if (this.#owned === undefined) {
            this.#waitingSinceMs ??= this.#ctx.clock.monotonicMs()
            this.#owned = await this.#takeOver()
            failures = 0
          }
          this.#range ??= await this.#nextRange(this.#owned)
          if (this.#range !== undefined) {
            this.#waitingSinceMs ??= this.#ctx.clock.monotonicMs()
            await this.#settle(this.#owned, this.#range)
          } else {
            this.#waitingSinceMs = undefined
            // Nothing else tells an owner whose partition is idle that it is none any more.
            await this.#idle(this.#owned)
          }
          failures = 0
        } catch (error) {
          if (error instanceof FencedError) return 'fenced'
          if (this.#stop.signal.aborted && error === this.#stop.signal.reason) return 'stopped'
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

  async #takeOver(): Promise<OwnedPartition> {
    return this.#hold(await takeOver(this.#ctx, this.#source, this.#stop.signal))
  }

  /** Also when it was asked to stop while the partition was taken over. */
  #hold(owned: OwnedPartition): OwnedPartition {
    if (this.#stop.signal.aborted) void owned.log.close()
    return owned
  }

  /** Undefined: nothing came, or stopped. */
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
    if (messages.length === 0 || cursor.plannedSeq !== cursor.committedSeq) return undefined
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
    metrics.framesRepeated.inc(range.repeatedCount)
    metrics.framesRefused.inc(range.refusedCount)
    metrics.framesForeign.inc(range.foreign.length)
    if (range.foreign.length > 0) {
      log.error(
        {
          code: 'frames_foreign',
          partition: this.#source.partition,
          frameCount: range.foreign.length,
          frames: range.foreign.slice(0, foreignLoggedMax),
        },
        'Frames of another installation are on this bus; they are not digested here, and their ingest keeps them in its log.',
      )
    }
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

  async #settle(owned: OwnedPartition, range: RangeInHand): Promise<void> {
    const { clock, metrics, sleep } = this.#ctx
    const { signal } = this.#stop
    if (owned.plan !== undefined) {
      if (this.#refusals.isProbeDue) await this.#probe(owned.cursor, range)
      // mutant: range-store-refuses-retried-for
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
    const result = await this.#store(owned, range, end)
    const pauseMs = this.#refusals.noteCommit(range)

    this.#waitingSinceMs = undefined
    owned.progress = range.progress
    owned.cursor = { ...owned.cursor, committedSeq: owned.cursor.plannedSeq }
    owned.plan = undefined
    // mutant: accepted-ids-do-not-enter
    enterAccepted(owned.window, range.found, end.acceptedRecords)
    metrics.window.observe(this.#source.partition, owned.window)
    this.#range = undefined
    this.#nextRangeMs = range.startedMs + this.#source.rangeIntervalMs()
    metrics.rangeSeconds.observe((clock.monotonicMs() - range.startedMs) / 1000)
    this.#count(end, result)
    if (pauseMs > 0) await sleep(pauseMs, signal)
  }

  /**
   * Counts refusals of what is planned, and not those of a rehearsal, after which the search has
   * its say.
   */
  async #store(
    owned: OwnedPartition,
    range: RangeInHand,
    output: RangeOutput,
  ): Promise<CommitResult> {
    try {
      return await storeRange(this.#ctx, owned, range, output)
    } catch (error) {
      if (error instanceof DataRefusedError) this.#refusals.note(error.message)
      throw error
    }
  }

  /**
   * Before records are blamed for a refusal. Throws `StoreFaultError` while a store refuses records
   * of our own making too: what is planned stays planned, and nothing is set aside. After an hour
   * of that the partition goes on all the same.
   */
  async #probe(cursor: Cursor, { lastSeq, projects }: RangeInHand): Promise<void> {
    const { clock, log } = this.#ctx
    const { partition } = this.#source
    const reason = await probeStores(this.#ctx, { cursor, plannedSeq: lastSeq, projects })
    // mutant: store-refuses-every-record-blames
    if (reason === undefined) return this.#refusals.noteProbeTaken()
    if (this.#refusals.noteProbeRefused(clock.monotonicMs())) {
      log.error(
        { code: 'store_fault_ignored', partition, reason },
        'A store still refuses every record; setting aside what it refuses as dead letters.',
      )
      return
    }
    log.error(
      { code: 'store_refuses_everything', partition, reason },
      'A store refuses even a test record of the worker, so its schema is broken; retrying until it takes records again.',
    )
    throw new StoreFaultError(`a store refuses every record: ${reason}`)
  }

  /**
   * What is planned never changes, so a range that a store refuses is undone. Its frames come again
   * in ranges that are rehearsed before they are planned, and there the records that cause the
   * refusal are found and set aside. A range that is refused though its rehearsal passed comes
   * again as two, and in the end a single frame is given up.
   */
  async #undoRefused(owned: OwnedPartition, range: RangeInHand): Promise<void> {
    const { partition } = this.#source
    this.#ctx.log.error(
      { code: 'range_refused', partition, refusals: this.#refusals.inARow },
      'A store refuses the data of a range; undoing the range and searching for the records that cause it.',
    )
    this.#refusals.noteUndo(range, this.#ctx.clock.monotonicMs())
    await this.#startOver(owned)
  }

  async #startOver(owned: OwnedPartition): Promise<void> {
    const { signal } = this.#stop
    this.#owned = this.#hold(await startOver(this.#ctx, this.#source, owned, signal))
    this.#held = []
    this.#range = undefined
    this.#refusals.noteUndone()
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
      'The partition could not go on; it is tried again from where it stands.',
    )
    const delayMaxMs = error instanceof StoreFaultError ? storeFaultDelayMaxMs : retryDelayMaxMs
    const delayMs = Math.min(delayMaxMs, retryDelayMinMs * 2 ** (failures - 1))
    await sleep(delayMs, this.#stop.signal)
  }

  #count(output: RangeOutput, result: CommitResult): void {
    const { metrics, log } = this.#ctx
    metrics.eventsDigested.inc(output.eventCount)
    metrics.window.duplicates.inc(output.duplicateCount)
    metrics.issuesCreated.inc(result.newIssues)
    metrics.issuesRegressed.inc(result.regressedIssues)
    metrics.monitorFailures.inc(result.monitors?.failures ?? 0)
    for (const reason of result.monitors?.refusals ?? []) metrics.checkInsRefused.inc({ reason })
    for (const { projectId, reason, detail } of output.deadLetters) {
      log.error(
        { code: 'dead_letter', projectId, reason, detail },
        'A record could not be digested; it is kept in dead_letters.',
      )
    }
  }
}
