/**
 * Reads one partition of the stream in order into a bounded buffer. Messages are not acknowledged
 * one by one: the cursor in Postgres is the position. The consumer is ephemeral and ordered, so the
 * library creates it again after a gap, a restarted broker or a new leader.
 */
import { type ConsumerMessages, type JetStreamClient, jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { type Clock, systemClock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import { onReconnect } from '#platform/nats/on-reconnect.ts'
import { messageMemory } from '#platform/nats/transport/message-memory.ts'
import { ingestSubject } from '#schemas/bus/subjects.ts'
import { busMessageBytesMax, rangeBytesMax, rangeFramesMax } from '#schemas/limits.ts'
import type { LogMessage, WaitingMessages } from '../partitions/ports.ts'

export interface LogPlace {
  readonly stream: string
  readonly partition: number
  /** Reading begins after this sequence. */
  readonly afterSeq: number
}

/**
 * Maximum buffered bytes: the range after the one that is being digested. The consumer requests no
 * more until a range is taken.
 */
const bufferedBytesMax = rangeBytesMax
/**
 * Bytes that the broker may send ahead. All partitions of a process share its connection, which the
 * broker ends if more than its `max_pending` waits to be sent (64 MB unless it is configured).
 */
const pullBytes = 4 * busMessageBytesMax
/**
 * The consumer requests more when at most this many bytes are outstanding, and requests the
 * difference. A message larger than the request ends it, and a new one is not sent at once: so the
 * difference is at least two maximum messages.
 */
const pullAgainBytes = 2 * busMessageBytesMax
const pullExpiresMs = 10_000
/**
 * After two missed heartbeats the consumer is created again. With the library's default a partition
 * would stall for half a minute after a restart of the broker.
 */
const heartbeatMs = 500
const reopenDelayMs = 250

export class PartitionLog {
  readonly #jetstream: JetStreamClient
  readonly #place: LogPlace
  readonly #log: Logger
  readonly #buffered: LogMessage[] = []
  #bufferedBytes = 0
  /** Messages after the last one that was read, when the broker sent that one. */
  #pending = 0
  #lastSeq: number
  #consumption: ConsumerMessages | undefined
  #interruptedSinceMs: number | undefined
  #closed = false
  #wake: (() => void) | undefined
  #drained: (() => void) | undefined
  readonly #stopFollowing: () => void

  constructor(nats: NatsConnection, place: LogPlace, log: Logger) {
    this.#jetstream = jetstream(nats)
    this.#place = place
    this.#lastSeq = place.afterSeq
    this.#log = log
    // Messages that were under way are lost with a connection. The consumer sees it only at the
    // next message, which may take hours to come: a new one reads them again.
    this.#stopFollowing = onReconnect(nats, () => void this.#consumption?.close())
    void this.#read()
  }

  /** Sequence of the last message that was read from the stream. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Monotonic time since which the stream cannot be read; undefined while it is being read. */
  get interruptedSinceMs(): number | undefined {
    return this.#interruptedSinceMs
  }

  get waiting(): WaitingMessages {
    return { first: this.#buffered[0], count: this.#buffered.length + this.#pending }
  }

  /**
   * Returns the next messages, at least one; or none if `deadlineMs` (monotonic) has passed or the
   * log was closed. Waits until `notBeforeMs` for more messages unless a full range is buffered.
   */
  async take(
    clock: Clock,
    { notBeforeMs, deadlineMs }: { notBeforeMs: number; deadlineMs: number },
  ): Promise<LogMessage[]> {
    while (!this.#closed) {
      const nowMs = clock.monotonicMs()
      if (this.#buffered.length > 0 && (nowMs >= notBeforeMs || this.#hasFullRange())) break
      if (this.#buffered.length === 0 && nowMs >= deadlineMs) break
      const untilMs = this.#buffered.length > 0 ? notBeforeMs : deadlineMs
      await this.#waitForMessage(Math.max(1, untilMs - nowMs))
    }
    return this.#closed
      ? []
      : this.#cut((messages, bytes) => messages >= rangeFramesMax || bytes >= rangeBytesMax)
  }

  /**
   * Returns exactly the messages up to and including `toSeq`, which were planned before; fewer or
   * none if the stream was purged meanwhile. Undefined if the log was closed.
   */
  async takeThrough(toSeq: number): Promise<LogMessage[] | undefined> {
    while (!this.#closed && this.#lastSeq < toSeq) await this.#waitForMessage(1_000)
    const end = this.#buffered.findIndex(({ streamSeq }) => streamSeq > toSeq)
    const count = end === -1 ? this.#buffered.length : end
    return this.#closed ? undefined : this.#cut((messages) => messages >= count)
  }

  release(messages: readonly LogMessage[]): void {
    for (const { bytes } of messages) messageMemory.giveBack(bytes)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#stopFollowing()
    this.#wake?.()
    this.#drained?.()
    this.release(this.#buffered.splice(0))
    await this.#consumption?.close()
  }

  async #read(): Promise<void> {
    while (!this.#closed) {
      try {
        const consumer = await this.#jetstream.consumers.get(this.#place.stream, {
          filter_subjects: ingestSubject(this.#place.partition),
          opt_start_seq: this.#lastSeq + 1,
        })
        if (this.#closed) return
        this.#consumption = await consumer.consume({
          max_bytes: pullBytes,
          threshold_bytes: pullAgainBytes,
          expires: pullExpiresMs,
          idle_heartbeat: heartbeatMs,
        })
        this.#interruptedSinceMs = undefined
        if (this.#closed) await this.#consumption.close()
        for await (const message of this.#consumption) {
          // After `close`, the messages that the client still holds are read to give them back.
          if (this.#closed || message.seq <= this.#lastSeq) {
            messageMemory.giveBack(message.data)
            continue
          }
          this.#lastSeq = message.seq
          const { pending, timestampNanos } = message.info
          this.#pending = pending
          this.#buffered.push({
            streamSeq: message.seq,
            bytes: message.data,
            storedAtMs: timestampNanos / 1e6,
          })
          this.#bufferedBytes += message.data.length
          this.#wake?.()
          if (this.#bufferedBytes >= bufferedBytesMax) await this.#waitForSpace()
        }
      } catch (error) {
        if (this.#closed) return
        this.#interruptedSinceMs ??= systemClock.monotonicMs()
        // A missing leader, connection or consumer is temporary. The next consumer continues where
        // this one ended.
        this.#log.warn(
          { code: 'log_read_interrupted', partition: this.#place.partition, err: error },
          `Reading the stream was interrupted; retrying in ${reopenDelayMs} ms.`,
        )
      }
      if (!this.#closed) await new Promise((resolve) => setTimeout(resolve, reopenDelayMs))
    }
  }

  #hasFullRange(): boolean {
    return this.#bufferedBytes >= rangeBytesMax || this.#buffered.length >= rangeFramesMax
  }

  #cut(isFull: (messages: number, bytes: number) => boolean): LogMessage[] {
    let count = 0
    let bytes = 0
    while (count < this.#buffered.length && !isFull(count, bytes)) {
      bytes += this.#buffered[count]?.bytes.length ?? 0
      count += 1
    }
    this.#bufferedBytes -= bytes
    this.#drained?.()
    return this.#buffered.splice(0, count)
  }

  #waitForMessage(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, timeoutMs)
      const log = this
      this.#wake = done
      function done(): void {
        clearTimeout(timer)
        log.#wake = undefined
        resolve()
      }
    })
  }

  #waitForSpace(): Promise<void> {
    return new Promise((resolve) => {
      this.#drained = () => {
        this.#drained = undefined
        resolve()
      }
    })
  }
}
