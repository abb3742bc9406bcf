/**
 * Keeps one `PartitionDigest` running for every partition that this process owns, and none for any
 * other.
 */

import type { Clock } from '#platform/clock.ts'
import type { IngestStream } from '#platform/nats/ingest-streams.ts'
import type { NatsConnection } from '#platform/nats/nats.ts'
import { streamOfPartition } from '#platform/nats/stream-of-partition.ts'
import { mayFollowOutage } from '#platform/readiness/outages.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import type { PartitionPosition } from '../lag/partition-position.ts'
import { type PartitionContext, PartitionDigest } from '../partitions/digest-partition.ts'
import { rangeIntervalMs } from '../partitions/range-interval.ts'
import { PartitionLog } from '../stream/partition-log.ts'
import { Ownership } from './ownership.ts'

export interface PartitionOwnerOptions {
  readonly postgresUrl: string
  readonly workerId: string
  readonly layout: IngestLayout
  readonly nats: NatsConnection
  /**
   * Reads the current state of the partition's stream. To be called after its lock was acquired,
   * never before.
   */
  readonly readStream: (partition: number) => Promise<IngestStream>
}

interface OwnedPartition {
  readonly digest: PartitionDigest
  readonly work: Promise<void>
}

const tickMs = 1_000
/**
 * A partition is stuck if its cursor has not moved for this time while messages wait: an operator
 * has to act.
 */
export const stuckMs = 60_000
/** Time between two log lines about stuck partitions. */
const stuckLogMs = 60_000

export class PartitionOwner {
  readonly #options: PartitionOwnerOptions
  readonly #ctx: PartitionContext
  readonly #ownership: Ownership
  readonly #running = new Map<number, OwnedPartition>()
  #timer: NodeJS.Timeout | undefined
  #ticking: Promise<void> = Promise.resolve()
  #closed = false
  #stuckLoggedMs = Number.NEGATIVE_INFINITY

  constructor(options: PartitionOwnerOptions, ctx: PartitionContext) {
    this.#options = options
    this.#ctx = ctx
    const { postgresUrl, workerId, layout } = options
    this.#ownership = new Ownership(
      { postgresUrl, workerId, layout },
      {
        onClaimed: (partition) => this.#begin(partition),
        onRelease: (partition) => this.#end(partition),
        onLost: () => {
          for (const partition of [...this.#running.keys()]) void this.#end(partition)
        },
      },
      ctx.log,
    )
  }

  /** Whether the last attempt to claim partitions reached Postgres. */
  isConnected = false

  /** Positions of the owned partitions, for metrics. */
  get positions(): ReadonlyMap<number, PartitionPosition> {
    return new Map(
      [...this.#running].map(([partition, { digest }]) => [partition, digest.position]),
    )
  }

  /** True once this process has had a chance to claim partitions. */
  ready = false

  /** Owned partitions that are stuck, in ascending order. */
  get stuck(): readonly number[] {
    return [...this.#running.keys()]
      .filter((each) => this.#waitedMs(each) >= stuckMs)
      .sort(ascending)
  }

  /** Owned partitions for which a store refuses every record, in ascending order. */
  get refused(): readonly number[] {
    return [...this.#running]
      .filter(([, { digest }]) => digest.storeFaultSinceMs !== undefined)
      .map(([partition]) => partition)
      .sort(ascending)
  }

  start(clock: Clock): void {
    const schedule = (delayMs: number) => {
      if (this.#closed) return
      this.#timer = setTimeout(() => {
        const startedMs = clock.monotonicMs()
        this.#ticking = this.#tick().finally(() =>
          schedule(Math.max(0, tickMs - (clock.monotonicMs() - startedMs))),
        )
      }, delayMs)
    }
    schedule(0)
  }

  /**
   * Restarts partitions whose stream is no longer the one they began with: it was recreated, or is
   * shorter than the positions that were read. The take-over decides where to continue.
   */
  async checkStreams(): Promise<void> {
    const { layout, readStream } = this.#options
    const reading = new Map<string, Promise<IngestStream>>()
    // Read before any stream is queried, so that what is read meanwhile does not exceed the state
    // of the stream.
    const before = [...this.#running].map(
      ([partition, { digest }]) => [partition, digest, digest.reading] as const,
    )
    for (const [partition, digest, relied] of before) {
      if (relied === undefined) continue
      const name = streamOfPartition(partition, layout)
      const asked = reading.get(name) ?? readStream(partition)
      reading.set(name, asked)
      const stream = await asked
      if (relied.incarnation === stream.createdAt && relied.neededSeq <= stream.lastSeq) continue
      // The partition was taken over again while the broker was queried.
      if (this.#running.get(partition)?.digest !== digest) continue
      this.#ctx.log.warn(
        { code: 'stream_replaced', partition, ...relied, streamLastSeq: stream.lastSeq },
        'The stream was replaced or truncated; taking over the partition again.',
      )
      await this.#ownership.release(partition)
    }
  }

  get owned(): readonly number[] {
    return this.#ownership.owned
  }

  async close(): Promise<void> {
    // The worker keeps reporting while its last ranges end. Otherwise the others would terminate
    // its connection.
    await this.#ownership.close()
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#ticking
  }

  async #tick(): Promise<void> {
    try {
      await this.#ownership.tick()
      this.ready = true
      this.isConnected = true
    } catch (error) {
      this.isConnected = false
      this.#ctx.log.warn(
        { code: 'ownership_failed', err: error },
        `Claiming partitions failed; retrying in ${tickMs / 1000} s.`,
      )
    }
    this.#ctx.metrics.partitionsOwned.set(this.#ownership.owned.length)
    this.#reportStuck()
  }

  #reportStuck(): void {
    const { clock, log, metrics } = this.#ctx
    const { refused } = this
    metrics.partitionStuckSeconds.reset()
    metrics.partitionStoreFault.reset()
    for (const partition of this.#running.keys()) {
      metrics.partitionStoreFault.set({ partition }, refused.includes(partition) ? 1 : 0)
      metrics.partitionStuckSeconds.set({ partition }, this.#waitedMs(partition) / 1000)
    }
    const { stuck } = this
    if (stuck.length === 0 || clock.monotonicMs() < this.#stuckLoggedMs + stuckLogMs) return
    this.#stuckLoggedMs = clock.monotonicMs()
    for (const partition of stuck) {
      const seconds = Math.round(this.#waitedMs(partition) / 1000)
      log.error(
        { code: 'partition_stuck', partition, seconds, ...mayFollowOutage },
        'The cursor of a partition has not moved although messages wait; see the errors before this one.',
      )
    }
  }

  #waitedMs(partition: number): number {
    const { clock } = this.#ctx
    const sinceMs = this.#running.get(partition)?.digest.waitingSinceMs
    return sinceMs === undefined ? 0 : clock.monotonicMs() - sinceMs
  }

  #begin(partition: number): void {
    // An earlier run of the same partition may still be closing after a lost connection.
    const before = this.#running.get(partition)?.work ?? Promise.resolve()
    const { nats, layout, readStream } = this.#options
    const { log } = this.#ctx
    const stream = streamOfPartition(partition, layout)
    const digest = new PartitionDigest(this.#ctx, {
      partition,
      readStream: () => readStream(partition),
      openLog: (afterSeq) => new PartitionLog(nats, { stream, partition, afterSeq }, log),
      rangeIntervalMs: () => rangeIntervalMs(this.#running.size),
    })
    const work = before.then(() => this.#digest(partition, digest))
    this.#running.set(partition, { digest, work })
  }

  async #end(partition: number): Promise<void> {
    const running = this.#running.get(partition)
    await running?.digest.stop()
    await running?.work
    if (this.#running.get(partition) === running) this.#running.delete(partition)
  }

  /**
   * Never rejects: after any failure the lock is released and some worker claims the partition
   * again.
   */
  async #digest(partition: number, digest: PartitionDigest): Promise<void> {
    const { log } = this.#ctx
    try {
      if ((await digest.run()) === 'stopped') return
      log.warn({ code: 'fenced', partition }, 'Another worker owns the partition now.')
    } catch (error) {
      log.error(
        { code: 'partition_failed', partition, err: error },
        'Digesting a partition failed; releasing it.',
      )
    }
    // Not awaited, because releasing the lock waits for this work to end.
    void this.#ownership.release(partition).catch(() => {})
  }
}

function ascending(a: number, b: number): number {
  return a - b
}
