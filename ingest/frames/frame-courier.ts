/**
 * Brings frames to the bus and lets go of the requests that wait for them. A frame is sent again with
 * the same bytes under the same id until it is acknowledged; an unanswered one is neither lost nor stored
 * as far as we know. Frames are never dropped while the process lives, so their number is bounded:
 * whoever makes records asks `isFull` first.
 */

import type { Clock } from '#platform/clock.ts'
import { frameBytesInFlightMax, framesInFlightMax } from '#schemas/limits.ts'
import type { SealedFrame } from './frame-batcher.ts'

/** Where frames go. Sending may fail silently; only an acknowledgement counts. */
export interface FrameTransport {
  isConnected(): boolean
  send(frame: SealedFrame, token: number): void
}

/** The broker's answer to one frame. A repeated frame that it knew already is `stored` too. */
export type FrameAnswer =
  | { readonly kind: 'stored' }
  | { readonly kind: 'refused'; readonly code: number; readonly description: string }
  | { readonly kind: 'no_responders' }

export interface FrameCourierOptions {
  readonly clock: Clock
  readonly transport: FrameTransport
  /** After this the requests that wait for a frame are told so; the frame is still delivered. */
  readonly ackTimeoutMs: number
  /** Called once for each frame, before the requests that wait for it are let go. */
  onStored(frame: SealedFrame, attempts: number): void
  /** Called for an answer that is not an acknowledgement. */
  onTrouble(answer: FrameAnswer): void
}

interface FrameInFlight {
  readonly frame: SealedFrame
  readonly sealedAtMs: number
  attempts: number
  /** When it is sent again unless an answer comes first. */
  nextAttemptAtMs: number
}

const firstAnswerMs = 2_000
const backOffFirstMs = 100
const backOffMaxMs = 5_000
/** Bytes sent again in one sweep, so that a reconnect does not fill the socket with everything at once. */
const resendBytesPerSweep = 8 * 1024 * 1024

export class FrameCourier {
  readonly #options: FrameCourierOptions
  readonly #inFlight = new Map<number, FrameInFlight>()
  #bytesInFlight = 0
  #lastToken = 0
  framesAcknowledged = 0
  framesSentAgain = 0

  constructor(options: FrameCourierOptions) {
    this.#options = options
  }

  get frameCount(): number {
    return this.#inFlight.size
  }

  get byteCount(): number {
    return this.#bytesInFlight
  }

  get isFull(): boolean {
    return framesInFlightMax <= this.#inFlight.size || frameBytesInFlightMax <= this.#bytesInFlight
  }

  send(frame: SealedFrame): void {
    const nowMs = this.#options.clock.monotonicMs()
    this.#lastToken += 1
    const entry = { frame, sealedAtMs: nowMs, attempts: 0, nextAttemptAtMs: nowMs }
    this.#inFlight.set(this.#lastToken, entry)
    // The whole of the buffer behind the frame is held, however little of it the frame fills.
    this.#bytesInFlight += frame.bytes.buffer.byteLength
    if (this.#options.transport.isConnected()) this.#attempt(this.#lastToken, entry, nowMs)
  }

  receive(token: number, answer: FrameAnswer): void {
    const entry = this.#inFlight.get(token)
    // An answer to an earlier attempt of a frame that is done.
    if (entry === undefined) return
    if (answer.kind !== 'stored') {
      this.#options.onTrouble(answer)
      entry.nextAttemptAtMs = this.#options.clock.monotonicMs() + backOffMs(entry.attempts)
      return
    }
    this.#inFlight.delete(token)
    this.#bytesInFlight -= entry.frame.bytes.buffer.byteLength
    this.framesAcknowledged += 1
    this.#options.onStored(entry.frame, entry.attempts)
    for (const waiter of entry.frame.waiters) waiter.release()
  }

  /** The connection is new: what was on the old one may or may not have arrived. */
  resendAll(): void {
    const nowMs = this.#options.clock.monotonicMs()
    for (const entry of this.#inFlight.values()) entry.nextAttemptAtMs = nowMs
    this.sweep()
  }

  /** One look at everything in flight, instead of a timer for each frame. */
  sweep(): void {
    const nowMs = this.#options.clock.monotonicMs()
    const isConnected = this.#options.transport.isConnected()
    let bytesLeft = resendBytesPerSweep
    for (const [token, entry] of this.#inFlight) {
      if (entry.sealedAtMs + this.#options.ackTimeoutMs <= nowMs) {
        for (const waiter of entry.frame.waiters.splice(0)) waiter.expire()
      }
      if (isConnected && entry.nextAttemptAtMs <= nowMs && bytesLeft > 0) {
        bytesLeft -= entry.frame.bytes.length
        if (entry.attempts > 0) this.framesSentAgain += 1
        this.#attempt(token, entry, nowMs)
      }
    }
  }

  #attempt(token: number, entry: FrameInFlight, nowMs: number): void {
    entry.attempts += 1
    entry.nextAttemptAtMs = nowMs + Math.max(firstAnswerMs, backOffMs(entry.attempts))
    this.#options.transport.send(entry.frame, token)
  }
}

function backOffMs(attempts: number): number {
  return Math.min(backOffFirstMs * 2 ** Math.min(attempts, 10), backOffMaxMs)
}
