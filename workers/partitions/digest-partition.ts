/**
 * The loop of one owned partition: plan a range, digest it, insert its rows under a token, commit its sums
 * together with the cursor. In this order, always; every step may be repeated by this or another owner.
 *
 *   crash after plan     the same range is read, digested and inserted
 *   crash after insert   the same tokens: ClickHouse drops the repeated rows, Postgres never saw the first
 *   crash after commit   the next range begins behind it
 *   an owner that slept  its plan and its commit name an old epoch and fail; its insert repeats known tokens
 */
import assert from 'node:assert'
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import { decodeFrame, FrameError } from '#schemas/bus/frame.ts'
import type { RangeOutput } from '../digest/digest-range.ts'
import { type CommitResult, commitRange } from '../io/commit-store.ts'
import { type Cursor, FencedError, planRange } from '../io/cursor-store.ts'
import type { LogMessage, PartitionLog } from '../io/partition-log.ts'
import { insertRows } from '../io/row-store.ts'
import type { WorkerMetrics } from '../metrics.ts'
import type { FrameProgress } from './frame-progress.ts'

export interface PartitionContext {
  readonly pg: Pool
  readonly clickhouse: ClickHouseClient
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: WorkerMetrics
  readonly retentionDays: number
  readonly digest: (
    messages: readonly LogMessage[],
    settings: { partition: number; generation: number; retentionDays: number },
  ) => Promise<RangeOutput>
}

/**
 * At the most one range a second while events keep coming, since every insert makes a part in ClickHouse;
 * at once when the partition was idle, so that a person sees an error the moment it happens.
 */
const rangeIntervalMs = 1_000
const idlePollMs = 1_000
const retryDelayMinMs = 250
const retryDelayMaxMs = 30_000

export class PartitionDigest {
  readonly #ctx: PartitionContext
  readonly #messages: PartitionLog
  #cursor: Cursor
  #progress: FrameProgress
  #nextRangeMs = 0
  readonly #stop = new AbortController()

  constructor(
    ctx: PartitionContext,
    owned: { cursor: Cursor; progress: FrameProgress; messages: PartitionLog },
  ) {
    this.#ctx = ctx
    this.#cursor = owned.cursor
    this.#progress = owned.progress
    this.#messages = owned.messages
  }

  /** Runs until `stop`, or until another owner has taken over. Nothing else ends it. */
  async run(): Promise<'stopped' | 'fenced'> {
    let range: readonly LogMessage[] | undefined
    let failures = 0
    while (!this.#stop.signal.aborted) {
      try {
        range ??= await this.#nextRange()
        if (range === undefined) continue
        await this.#settle(range)
        range = undefined
        failures = 0
      } catch (error) {
        if (error instanceof FencedError) return 'fenced'
        failures += 1
        this.#ctx.metrics.rangesFailed.inc()
        this.#ctx.log.warn(
          { code: 'range_failed', partition: this.#cursor.partition, failures, err: error },
          'A range was not digested; the same range is tried again.',
        )
        await this.#pause(Math.min(retryDelayMaxMs, retryDelayMinMs * 2 ** (failures - 1)))
      }
    }
    return 'stopped'
  }

  /** Lets the range in hand finish, unless it fails. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#messages.close()
  }

  /** The range that a predecessor planned, exactly; else the next one. Undefined: nothing came, or stopped. */
  async #nextRange(): Promise<readonly LogMessage[] | undefined> {
    if (this.#cursor.plannedSeq > this.#cursor.committedSeq) {
      return this.#messages.takeThrough(this.#cursor.plannedSeq)
    }
    const range = await this.#messages.take(this.#ctx.clock, {
      notBeforeMs: this.#nextRangeMs,
      deadlineMs: this.#ctx.clock.monotonicMs() + idlePollMs,
    })
    return range.length === 0 ? undefined : range
  }

  async #settle(range: readonly LogMessage[]): Promise<void> {
    const { pg, clock, metrics } = this.#ctx
    const last = range.at(-1)
    const startedMs = clock.monotonicMs()
    if (this.#cursor.plannedSeq === this.#cursor.committedSeq) {
      assert(last !== undefined)
      this.#cursor = await planRange(pg, this.#cursor, last.streamSeq)
    }
    if (last?.streamSeq !== this.#cursor.plannedSeq) this.#reportGap()

    const { partition, generation } = this.#cursor
    const progress = this.#progress.copy()
    const fresh = range.filter((message) => isFresh(message, progress))
    metrics.framesRepeated.inc(range.length - fresh.length)
    const { retentionDays } = this.#ctx
    const output = await this.#ctx.digest(fresh, { partition, generation, retentionDays })
    await this.#insert(output)
    const result = await commitRange(pg, {
      cursor: this.#cursor,
      output,
      frames: progress.changes(),
    })

    this.#progress = progress
    this.#cursor = { ...this.#cursor, committedSeq: this.#cursor.plannedSeq }
    this.#nextRangeMs = startedMs + rangeIntervalMs
    this.#count(output, result, clock.monotonicMs() - startedMs)
  }

  async #insert(output: RangeOutput): Promise<void> {
    const { clickhouse } = this.#ctx
    const { partition, generation, committedSeq, plannedSeq } = this.#cursor
    const range = `p${partition}:${generation}:${committedSeq}-${plannedSeq}`
    if (output.eventCount > 0) {
      const rows = output.eventRows
      await insertRows(clickhouse, { table: 'events', rows, token: `${range}:events` })
    }
    if (output.outcomeCount > 0) {
      const rows = output.outcomeRows
      await insertRows(clickhouse, { table: 'outcomes', rows, token: `${range}:outcomes` })
    }
  }

  #count(output: RangeOutput, result: CommitResult, durationMs: number): void {
    const { metrics, log } = this.#ctx
    metrics.eventsDigested.inc(output.eventCount)
    metrics.issuesCreated.inc(result.newIssues)
    metrics.issuesRegressed.inc(result.regressedIssues)
    metrics.rangeSeconds.observe(durationMs / 1000)
    for (const letter of output.deadLetters) {
      log.error(
        {
          code: 'dead_letter',
          projectId: letter.projectId,
          reason: letter.reason,
          detail: letter.detail,
        },
        'A record could not be digested; it is kept in dead_letters.',
      )
    }
  }

  /** Only somebody else's purge does this. To wait for the frames would stop the partition for ever. */
  #reportGap(): void {
    const { partition, committedSeq, plannedSeq } = this.#cursor
    this.#ctx.log.error(
      { code: 'planned_frames_gone', partition, committedSeq, plannedSeq },
      'Frames of a planned range are no longer in the stream; what is left of it is digested.',
    )
  }

  async #pause(ms: number): Promise<void> {
    if (this.#stop.signal.aborted) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#stop.signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer)
          resolve()
        },
        { once: true },
      )
    })
  }
}

/** A frame that cannot be read has no number; the digest keeps it as a dead letter. */
function isFresh(message: LogMessage, progress: FrameProgress): boolean {
  try {
    const { bootId, counter } = decodeFrame(message.bytes)
    return progress.add(bootId, counter)
  } catch (error) {
    if (error instanceof FrameError) return true
    throw error
  }
}
