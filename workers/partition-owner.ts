/** Keeps one `PartitionDigest` running for every partition that this process owns, and none for any other. */

import type { Clock } from '#platform/clock.ts'
import type { IngestLayout, IngestStream } from '#platform/ingest-streams.ts'
import type { NatsConnection } from '#platform/nats.ts'
import { streamOfPartition } from '#platform/stream-of-partition.ts'
import { readFrameProgress, takeOverCursor } from './io/cursor-store.ts'
import { Ownership } from './io/ownership.ts'
import { PartitionLog } from './io/partition-log.ts'
import { type PartitionContext, PartitionDigest } from './partitions/digest-partition.ts'
import { FrameProgress } from './partitions/frame-progress.ts'

export interface PartitionOwnerOptions {
  readonly postgresUrl: string
  readonly workerId: string
  readonly layout: IngestLayout
  readonly nats: NatsConnection
  /** The partition's stream as it is now: asked for after a lock was won, never before. */
  readonly readStream: (partition: number) => Promise<IngestStream>
}

interface OwnedPartition {
  /** Absent until the cursor was read. */
  log?: PartitionLog
  incarnation?: string
  readonly work: Promise<void>
  readonly stop: () => Promise<void>
}

const tickMs = 1_000

export class PartitionOwner {
  readonly #options: PartitionOwnerOptions
  readonly #ctx: PartitionContext
  readonly #ownership: Ownership
  readonly #running = new Map<number, OwnedPartition>()
  #timer: NodeJS.Timeout | undefined
  #ticking: Promise<void> = Promise.resolve()
  #closed = false

  constructor(options: PartitionOwnerOptions, ctx: PartitionContext) {
    this.#options = options
    this.#ctx = ctx
    const { postgresUrl, workerId, layout } = options
    this.#ownership = new Ownership(
      { postgresUrl, workerId, partitionCount: layout.partitions },
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

  /** True once this process has had a chance to claim partitions. */
  ready = false

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
   * Starts anew whoever reads a stream that is no longer the one it began with: made again, or shorter than what was read of
   * it. The take-over then decides where to go on.
   */
  async checkStreams(): Promise<void> {
    const before = [...this.#running].map(
      ([partition, { log, incarnation }]) => [partition, log?.lastSeq, incarnation] as const,
    )
    const { layout, readStream } = this.#options
    const reading = new Map<string, Promise<IngestStream>>()
    for (const [partition, lastSeq, incarnation] of before) {
      if (lastSeq === undefined) continue
      const name = streamOfPartition(partition, layout.streams)
      const asked = reading.get(name) ?? readStream(partition)
      reading.set(name, asked)
      const stream = await asked
      if (incarnation === stream.createdAt && lastSeq <= stream.lastSeq) continue
      this.#ctx.log.warn(
        { code: 'stream_replaced', partition, lastSeq, streamLastSeq: stream.lastSeq },
        'The stream is not the one that was read so far; the partition is taken over again.',
      )
      await this.#ownership.release(partition)
    }
  }

  get owned(): readonly number[] {
    return this.#ownership.owned
  }

  async close(): Promise<void> {
    // Goes on saying that it lives while its last ranges end: the others would end its connection otherwise.
    await this.#ownership.close()
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#ticking
  }

  async #tick(): Promise<void> {
    try {
      await this.#ownership.tick()
      this.ready = true
    } catch (error) {
      this.#ctx.log.warn(
        { code: 'ownership_failed', err: error },
        'Partitions could not be claimed; trying again.',
      )
    }
    this.#ctx.metrics.partitionsOwned.set(this.#ownership.owned.length)
  }

  #begin(partition: number): void {
    // A former run of the same partition may still be closing after a lost connection.
    const before = this.#running.get(partition)?.work ?? Promise.resolve()
    const stop = new AbortController()
    const work = before.then(() => this.#digest(partition, stop.signal))
    this.#running.set(partition, {
      work,
      stop: async () => {
        stop.abort()
        await work
      },
    })
  }

  async #end(partition: number): Promise<void> {
    const running = this.#running.get(partition)
    await running?.stop()
    if (this.#running.get(partition) === running) this.#running.delete(partition)
  }

  /** Never rejects: whatever ends the work, the lock is given back and somebody claims the partition again. */
  async #digest(partition: number, stop: AbortSignal): Promise<void> {
    const { log } = this.#ctx
    try {
      const messages = await this.#open(partition, stop)
      if (messages === undefined) return
      const onStop = () => void messages.digest.stop()
      if (stop.aborted) onStop()
      else stop.addEventListener('abort', onStop, { once: true })
      const end = await messages.digest.run()
      await messages.log.close()
      if (end === 'stopped') return
      log.warn({ code: 'fenced', partition }, 'The partition has another owner now.')
    } catch (error) {
      log.warn(
        { code: 'partition_failed', partition, err: error },
        'The partition could not be taken over.',
      )
    }
    // Not awaited: giving the lock back waits for this very work to end.
    if (!stop.aborted) void this.#ownership.release(partition).catch(() => {})
  }

  async #open(partition: number, stop: AbortSignal) {
    const { pg, log } = this.#ctx
    const stream = await this.#options.readStream(partition)
    const { cursor, reset } = await takeOverCursor(pg, partition, stream)
    if (reset === 'tail_cut') {
      log.error(
        { code: 'stream_tail_cut', partition },
        'The broker has lost frames it had acknowledged; reading again from the start.',
      )
    }
    const progress = new FrameProgress(await readFrameProgress(pg, partition))
    if (stop.aborted) return undefined
    log.info(
      {
        code: 'partition_owned',
        partition,
        epoch: cursor.epoch,
        committedSeq: cursor.committedSeq,
      },
      'A partition was taken over.',
    )
    const messages = new PartitionLog(
      this.#options.nats,
      { stream: stream.name, partition, afterSeq: cursor.committedSeq },
      log,
    )
    const running = this.#running.get(partition)
    if (running !== undefined) {
      running.log = messages
      running.incarnation = stream.createdAt
    }
    return {
      log: messages,
      digest: new PartitionDigest(this.#ctx, { cursor, progress, messages }),
    }
  }
}
