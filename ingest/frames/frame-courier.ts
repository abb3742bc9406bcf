/**
 * Brings frames to the bus and lets go of the requests that wait for them. A frame goes to the log first, then to the
 * broker, and is sent again with the same bytes under the same id until it is acknowledged; an unanswered one is
 * neither lost nor stored as far as we know.
 *
 *   in memory ──written──▶ logged ──published, acknowledged──▶ done: its requests are answered 200
 *                             └──the broker is away──▶ its requests are answered 200; the frame stays here
 *                                 while there is room, and is sent from the log otherwise
 *
 * Without a log, or while the log cannot be written, only an acknowledgement lets requests go.
 */
import type { Clock } from '#platform/clock.ts'
import { failpoint } from '#platform/failpoint.ts'
import { frameBytesInFlightMax, framesInFlightMax } from '#schemas/limits.ts'
import type { WalPlace } from '../wal/wal-segment.ts'
import type { WriteAheadLog } from '../wal/write-ahead-log.ts'
import type { SealedFrame } from './frame-batcher.ts'

/** Where frames go. Sending may fail silently; only an acknowledgement counts. */
export interface FrameTransport {
  isConnected(): boolean
  send(frame: SealedFrame, token: number): void
}

/** The broker's answer to one frame. */
export type FrameAnswer =
  /** `isDuplicate`: it says that it had the message id before, with that sequence. */
  | { readonly kind: 'stored'; readonly seq: number; readonly isDuplicate: boolean }
  | { readonly kind: 'refused'; readonly code: number; readonly description: string }
  | { readonly kind: 'no_responders' }

/** `log`: every frame is logged before it is published. `broker`: only what the broker does not take at once is logged. */
export type Durability = 'log' | 'broker'

export interface FrameCourierOptions {
  readonly clock: Clock
  readonly transport: FrameTransport
  readonly durability: Durability
  /** Undefined: there is none, as in tests of other things. */
  readonly wal: Pick<WriteAheadLog, 'append' | 'isUsable'> | undefined
  /** After this the requests that wait for a frame are told so; the frame is still delivered. */
  readonly ackTimeoutMs: number
  /**
   * Called once for each frame, before the requests that wait for it are let go: what was collected behind it may go.
   * `isReusable`: nobody will read its bytes again.
   */
  onPassed(frame: SealedFrame, isReusable: boolean): void
  /** Called for an answer that is not an acknowledgement. */
  onTrouble(answer: FrameAnswer): void
}

interface FrameInFlight {
  readonly frame: SealedFrame
  readonly sealedAtMs: number
  /** Sent from the log: nobody waits for it. */
  readonly isFromLog: boolean
  place: WalPlace | undefined
  isBeingLogged: boolean
  /** The broker has acknowledged it before the log had it. */
  ackedSeq: number
  hasPassed: boolean
  attempts: number
  /** When it is sent again unless an answer comes first. */
  nextAttemptAtMs: number
}

const firstAnswerMs = 2_000
const backOffFirstMs = 100
const backOffMaxMs = 5_000
/** A broker that leaves a frame unanswered for so long counts as away. */
const awayAfterMs = 1_000
/** Bytes sent again in one sweep, so that a reconnect does not fill the socket with everything at once. */
const resendBytesPerSweep = 8 * 1024 * 1024
/** Of what stands in the log as well, so much is kept in memory while the broker is away. */
const loggedBytesKeptMax = frameBytesInFlightMax / 4
const loggedFramesKeptMax = framesInFlightMax / 4
/** Frames from the log that are under way at a time: live ones keep most of the broker. */
const fromLogBytesMax = 4 * 1024 * 1024

export class FrameCourier {
  readonly #options: FrameCourierOptions
  readonly #inFlight = new Map<number, FrameInFlight>()
  #bytesInFlight = 0
  #bytesFromLog = 0
  #lastToken = 0
  /** The last answer was no acknowledgement. */
  #isRefused = false
  #isSlow = false
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

  /** Frames whose requests still wait. */
  get unpassedCount(): number {
    let count = 0
    for (const entry of this.#inFlight.values()) if (!entry.hasPassed) count += 1
    return count
  }

  /** The broker takes nothing now: what is logged is as durable as it can be. */
  get isAway(): boolean {
    return this.#isRefused || this.#isSlow || !this.#options.transport.isConnected()
  }

  /** No more frames may be made: there is no room in memory, or nothing that would keep them. */
  get isFull(): boolean {
    if (framesInFlightMax <= this.#inFlight.size) return true
    if (frameBytesInFlightMax <= this.#bytesInFlight) return true
    const { wal } = this.#options
    return wal !== undefined && !wal.isUsable && this.isAway
  }

  /** Whether another frame of the log may be sent now. */
  get takesFromLog(): boolean {
    return this.#bytesFromLog < fromLogBytesMax && !this.isAway
  }

  send(frame: SealedFrame): void {
    const token = this.#enter(frame, undefined)
    const entry = this.#inFlight.get(token)!
    if (this.#options.durability === 'log' && this.#logs(token, entry)) return
    if (this.#options.transport.isConnected()) this.#attempt(token, entry)
    else this.#logs(token, entry)
  }

  /** A frame that stands in the log and is to be sent from there. Its bytes must stay as they are. */
  sendFromLog(frame: SealedFrame, place: WalPlace): void {
    const token = this.#enter(frame, place)
    if (this.#options.transport.isConnected()) this.#attempt(token, this.#inFlight.get(token)!)
  }

  receive(token: number, answer: FrameAnswer): void {
    const entry = this.#inFlight.get(token)
    if (answer.kind !== 'stored') {
      this.#options.onTrouble(answer)
      if (entry === undefined) return
      this.#isRefused = true
      entry.nextAttemptAtMs = this.#options.clock.monotonicMs() + backOffMs(entry.attempts)
      return
    }
    this.#isRefused = false
    this.#isSlow = false
    // An answer to an earlier attempt of a frame that is done, or that has left for the log.
    if (entry === undefined) return
    failpoint('ingest.after_ack')
    this.#leave(token, entry)
    this.framesAcknowledged += 1
    entry.ackedSeq = answer.seq
    entry.place?.acknowledge(answer.seq, this.#options.clock.monotonicMs())
    // A frame that was sent again may still wait in the client's own buffer, and one that is being logged is being read.
    this.#pass(entry, entry.attempts === 1 && !entry.isBeingLogged)
  }

  /** The connection is new: what was on the old one may or may not have arrived. */
  resendAll(): void {
    const nowMs = this.#options.clock.monotonicMs()
    // Whether the new one takes frames shows by its answers.
    this.#isRefused = false
    this.#isSlow = false
    for (const entry of this.#inFlight.values()) {
      if (entry.attempts > 0 || this.#mayPublish(entry)) entry.nextAttemptAtMs = nowMs
    }
    this.sweep()
  }

  /** One look at everything in flight, instead of a timer for each frame. */
  sweep(): void {
    const nowMs = this.#options.clock.monotonicMs()
    const isConnected = this.#options.transport.isConnected()
    let bytesLeft = resendBytesPerSweep
    for (const [token, entry] of this.#inFlight) {
      if (entry.attempts > 0 && entry.sealedAtMs + awayAfterMs <= nowMs) this.#isSlow = true
      if (this.isAway) this.#settleWithoutBroker(token, entry)
      if (!entry.hasPassed && entry.sealedAtMs + this.#options.ackTimeoutMs <= nowMs) {
        for (const waiter of entry.frame.waiters.splice(0)) waiter.expire()
      }
      if (!isConnected || nowMs < entry.nextAttemptAtMs || bytesLeft <= 0) continue
      if (!this.#mayPublish(entry)) continue
      bytesLeft -= entry.frame.bytes.length
      if (entry.attempts > 0) this.framesSentAgain += 1
      this.#attempt(token, entry)
    }
    if (this.isAway) this.#spill()
  }

  #enter(frame: SealedFrame, place: WalPlace | undefined): number {
    const nowMs = this.#options.clock.monotonicMs()
    this.#lastToken += 1
    this.#inFlight.set(this.#lastToken, {
      frame,
      sealedAtMs: nowMs,
      isFromLog: place !== undefined,
      place,
      isBeingLogged: false,
      ackedSeq: 0,
      hasPassed: place !== undefined,
      attempts: 0,
      nextAttemptAtMs: nowMs,
    })
    // The whole of the buffer behind the frame is held, however little of it the frame fills.
    if (place === undefined) this.#bytesInFlight += frame.bytes.buffer.byteLength
    else this.#bytesFromLog += frame.bytes.length
    return this.#lastToken
  }

  #leave(token: number, { frame, isFromLog }: FrameInFlight): void {
    this.#inFlight.delete(token)
    // With nothing under way no answer would ever say that the broker is back: the next frame asks.
    if (this.#inFlight.size === 0) {
      this.#isRefused = false
      this.#isSlow = false
    }
    if (isFromLog) this.#bytesFromLog -= frame.bytes.length
    else this.#bytesInFlight -= frame.bytes.buffer.byteLength
  }

  /** False when it cannot be logged now. */
  #logs(token: number, entry: FrameInFlight): boolean {
    const { wal } = this.#options
    if (wal === undefined || !wal.isUsable || entry.place !== undefined) return false
    if (entry.isBeingLogged) return true
    entry.isBeingLogged = true
    wal.append(entry.frame, (place) => {
      entry.isBeingLogged = false
      if (!this.#inFlight.has(token)) {
        // The broker was faster.
        place?.acknowledge(entry.ackedSeq, this.#options.clock.monotonicMs())
        return
      }
      entry.place = place
      if (this.isAway) this.#settleWithoutBroker(token, entry)
      if (entry.attempts === 0 && this.#options.transport.isConnected()) {
        this.#attempt(token, entry)
      }
    })
    return true
  }

  /** What a disk is too slow to take goes to the broker alone. */
  #mayPublish(entry: FrameInFlight): boolean {
    const { durability, wal } = this.#options
    return durability === 'broker' || !entry.isBeingLogged || wal?.isUsable === false
  }

  /** The log has to do for now; a frame that is not in it yet is put there. */
  #settleWithoutBroker(token: number, entry: FrameInFlight): void {
    if (entry.hasPassed) return
    if (entry.place !== undefined) this.#pass(entry, false)
    else this.#logs(token, entry)
  }

  #pass(entry: FrameInFlight, isReusable: boolean): void {
    const { frame } = entry
    if (!entry.hasPassed) {
      entry.hasPassed = true
      this.#options.onPassed(frame, isReusable)
    }
    for (const waiter of frame.waiters.splice(0)) waiter.release()
  }

  /** The oldest frames that the log has as well leave memory: they will be sent from there. */
  #spill(): void {
    let frames = this.#inFlight.size
    for (const [token, entry] of this.#inFlight) {
      if (frames <= loggedFramesKeptMax && this.#bytesInFlight <= loggedBytesKeptMax) return
      if (entry.place === undefined || !entry.hasPassed) continue
      frames -= 1
      this.#leave(token, entry)
      entry.place.leaveMemory()
    }
  }

  #attempt(token: number, entry: FrameInFlight): void {
    failpoint('ingest.before_publish')
    entry.attempts += 1
    entry.nextAttemptAtMs =
      this.#options.clock.monotonicMs() + Math.max(firstAnswerMs, backOffMs(entry.attempts))
    this.#options.transport.send(entry.frame, token)
  }
}

function backOffMs(attempts: number): number {
  return Math.min(backOffFirstMs * 2 ** Math.min(attempts, 10), backOffMaxMs)
}
