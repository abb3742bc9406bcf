/**
 * What a request holds that could not go through at once: the body, the bytes it is counted with, and the time by which
 * it must be done. Bytes are counted for as long as anything holds them: work that has begun keeps them
 * even when the client has gone, or clients that go away could fill the memory unseen.
 */
import type { Clock } from '#platform/clock.ts'
import type { Deadlined, RequestLoad } from '../intake/request-load.ts'
import { BodyBuffer } from './body-buffer.ts'

/** A body must be here and through by then; slower ones hold memory that others need. */
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

  /** The bytes that were appended so far. */
  view(): Buffer {
    this.#kept = this.#buffer?.view() ?? Buffer.alloc(0)
    return this.#kept
  }

  /** Returns bytes that outlast this turn, and counts them once. Bytes that lie in `lent` are copied. */
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

  /** The bytes stay counted until the work has settled, whatever becomes of the request. */
  async during(work: Promise<void>): Promise<void> {
    this.#isWorkedOn = true
    try {
      await work
    } finally {
      this.#isWorkedOn = false
      if (this.#isForgotten) this.#giveBack()
    }
  }

  /** The request needs it no more. */
  forget(): void {
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
