/**
 * The memory and the deadline of a request that cannot be finished in the turn its body arrives.
 * Bytes are counted as long as anything refers to them: work that has started keeps them even after
 * the client has disconnected. Otherwise clients that disconnect could fill the memory uncounted.
 */
import type { Clock } from '#platform/clock.ts'
import type { Deadlined, RequestLoad } from '../intake/request-load.ts'
import { BodyBuffer } from './body-buffer.ts'

/**
 * A body must have arrived and been processed by then. Slower ones hold memory that other requests
 * need.
 */
const bodyTimeoutMs = 60_000

export interface BodyHolder {
  expireBody(): void
}

export class HeldBody implements Deadlined {
  readonly deadlineMs: number
  readonly #load: RequestLoad
  readonly #holder: BodyHolder
  #buffer: BodyBuffer | undefined
  /** The latest bytes that are counted. */
  #kept: Buffer | undefined
  #bytesReserved = 0
  #isWorkedOn = false
  #isForgotten = false

  constructor(load: RequestLoad, clock: Clock, holder: BodyHolder) {
    this.#load = load
    this.#holder = holder
    this.deadlineMs = clock.monotonicMs() + bodyTimeoutMs
    load.watch(this)
  }

  append(chunk: Uint8Array): void {
    if (this.#buffer === undefined) {
      this.#buffer = new BodyBuffer(this.#load.bodyBuffers)
      this.#reserve(this.#buffer.capacity)
    }
    const capacityBefore = this.#buffer.capacity
    this.#buffer.append(chunk)
    this.#reserve(this.#buffer.capacity - capacityBefore)
  }

  /** The bytes appended so far. */
  view(): Buffer {
    this.#kept = this.#buffer?.view() ?? Buffer.alloc(0)
    return this.#kept
  }

  /**
   * Returns bytes that outlast this turn, and counts them once. Bytes that lie in `lent` are
   * copied.
   */
  keep(bytes: Buffer, lent: ArrayBufferLike | undefined): Buffer {
    if (bytes === this.#kept) return bytes
    this.#kept = bytes.buffer === lent ? Buffer.from(bytes) : bytes
    this.#reserve(this.#kept.length)
    return this.#kept
  }

  #reserve(bytes: number): void {
    this.#bytesReserved += bytes
    this.#load.reserve(bytes)
  }

  /** Keeps the bytes counted until the work has settled, also when the request ends before. */
  async during(work: Promise<void>): Promise<void> {
    this.#isWorkedOn = true
    try {
      await work
    } finally {
      this.#isWorkedOn = false
      if (this.#isForgotten) this.#giveBack()
    }
  }

  /** Called when the request no longer needs the body. */
  release(): void {
    if (this.#isForgotten) return
    this.#isForgotten = true
    this.#load.unwatch(this)
    if (!this.#isWorkedOn) this.#giveBack()
  }

  expireBody(): void {
    this.#holder.expireBody()
  }

  #giveBack(): void {
    this.#load.reserve(-this.#bytesReserved)
    this.#bytesReserved = 0
    this.#kept = undefined
    this.#buffer?.release()
    this.#buffer = undefined
  }
}
