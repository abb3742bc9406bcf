/** Memory and number of all pending requests, and the deadlines of those whose body is held. */
import assert from 'node:assert'
import type { Clock } from '#platform/clock.ts'
import { bufferedBytesMax, pendingRequestsMax } from '#schemas/limits.ts'
import { BodyBuffers } from '../body/body-buffers.ts'

export interface Deadlined {
  readonly deadlineMs: number
  expireBody(): void
}

export class RequestLoad {
  readonly #clock: Clock
  readonly #slow = new Set<Deadlined>()
  readonly bodyBuffers = new BodyBuffers()
  requestCount = 0
  bufferedBytes = 0
  /** Set when the process shuts down: every answer then closes its connection. */
  isDraining = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get isFull(): boolean {
    return pendingRequestsMax <= this.requestCount || this.isOverBytes
  }

  get isOverBytes(): boolean {
    return bufferedBytesMax <= this.bufferedBytes
  }

  begin(): void {
    this.requestCount += 1
  }

  end(): void {
    this.requestCount -= 1
    assert(0 <= this.requestCount)
  }

  /** Negative numbers release bytes. */
  reserve(bytes: number): void {
    this.bufferedBytes += bytes
    assert(0 <= this.bufferedBytes)
  }

  watch(request: Deadlined): void {
    this.#slow.add(request)
  }

  unwatch(request: Deadlined): void {
    this.#slow.delete(request)
  }

  sweep(): void {
    const nowMs = this.#clock.monotonicMs()
    // All have the same timeout, so the oldest come first.
    for (const request of this.#slow) {
      if (nowMs < request.deadlineMs) return
      request.expireBody()
    }
  }
}
