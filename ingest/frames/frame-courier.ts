/**
 * Delivers frames to the bus and releases the requests that wait for them. A frame is written to
 * the write-ahead log, then published, and resent with the same bytes under the same id until it is
 * acknowledged. Without an answer it is unknown whether the broker has it.
 *
 *   in memory ──written──▶ logged ──published, acknowledged──▶ done: its requests are answered 200
 *                             └──the broker is away──▶ its requests are answered 200; the frame
 *                                 stays in memory while there is room, else it is sent from the log
 *
 * Without a log, or while the log cannot be written, only an acknowledgement releases requests.
 */
import type { Clock } from '#platform/clock.ts'
import { failpoint } from '#platform/failpoint.ts'
import { frameBytesInFlightMax, framesInFlightMax } from '#schemas/limits.ts'
import type { WalPlace } from '../wal/wal-segment.ts'
import type { WriteAheadLog } from '../wal/write-ahead-log.ts'
import type { SealedFrame } from './frame-batcher.ts'
import type { Durability, FrameAnswer, FrameTransport } from './frame-transport.ts'

export interface FrameCourierOptions {
  readonly clock: Clock
  readonly transport: FrameTransport
  readonly durability: Durability
  /** Undefined when there is no write-ahead log. */
  readonly wal: Pick<WriteAheadLog, 'append' | 'isUsable'> | undefined
  /**
   * After this time, requests that wait for a frame are answered with an error. The frame is still
   * delivered.
   */
  readonly ackTimeoutMs: number
  /**
   * Called once for each frame, before its requests are released, so that the next frame may be
   * sent. @param isReusable the frame's bytes will not be read again.
   */
  onPassed(frame: SealedFrame, isReusable: boolean): void
  /** Called for every answer that is not an acknowledgement. */
  onTrouble(answer: FrameAnswer): void
}

interface FrameInFlight {
  readonly frame: SealedFrame
  readonly sealedAtMs: number
  /** Sent from the log, so no request waits for it. */
  readonly isFromLog: boolean
  place: WalPlace | undefined
  isBeingLogged: boolean
  /**
   * Sequence of an acknowledgement that arrived before the frame was logged; 0 when there is none.
   */
  ackedSeq: number
  hasPassed: boolean
  attempts: number
  /** Time of the next attempt unless an answer arrives before. */
  nextAttemptAtMs: number
}

const firstAnswerMs = 2_000
const backOffFirstMs = 100
const backOffMaxMs = 5_000
/** A broker that does not answer a frame within this time counts as unavailable. */
const awayAfterMs = 1_000
/** Bytes that are resent in one sweep, so that a reconnect does not fill the socket at once. */
const resendBytesPerSweep = 8 * 1024 * 1024
/**
 * Memory for logged frames while the broker is unavailable; the rest is sent from the write-ahead
 * log.
 */
const loggedBytesKeptMax = frameBytesInFlightMax / 4
const loggedFramesKeptMax = framesInFlightMax / 4
/** Bytes from the log in flight at a time, so that live frames get most of the broker. */
const fromLogBytesMax = 4 * 1024 * 1024

export class FrameCourier {
  readonly #options: FrameCourierOptions
  readonly #inFlight = new Map<number, FrameInFlight>()
  #bytesInFlight = 0
  #bytesFromLog = 0
  #lastToken = 0
  /** The latest answer was not an acknowledgement. */
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

  /** Number of frames whose requests are not released yet. */
  get unpassedCount(): number {
    let count = 0
    for (const entry of this.#inFlight.values()) if (!entry.hasPassed) count += 1
    return count
  }

  /**
   * Whether the broker accepts no frames: then a frame in the write-ahead log counts as durable.
   */
  get isAway(): boolean {
    return this.#isRefused || this.#isSlow || !this.#options.transport.isConnected()
  }

  /**
   * Whether no frame may be added: memory is full, or neither the write-ahead log nor the broker
   * would store it.
   */
  get isFull(): boolean {
    if (framesInFlightMax <= this.#inFlight.size) return true
    if (frameBytesInFlightMax <= this.#bytesInFlight) return true
    const { wal } = this.#options
    return wal !== undefined && !wal.isUsable && this.isAway
  }

  /** Whether another frame may be sent from the log now. */
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

  /** Sends a frame that is in the log. Its bytes must not change. */
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
    // The answer belongs to an earlier attempt of a frame that is done, or that has left memory for
    // the log.
    if (entry === undefined) return
    failpoint('ingest.after_ack')
    this.#leave(token, entry)
    this.framesAcknowledged += 1
    entry.ackedSeq = answer.seq
    entry.place?.acknowledge(answer.seq, this.#options.clock.monotonicMs())
    // The bytes of a frame that was resent may still be in the client's buffer, and those of a
    // frame that is being logged are being read.
    this.#pass(entry, entry.attempts === 1 && !entry.isBeingLogged)
  }

  /** Called for a new connection: frames that were sent on the old one may not have arrived. */
  resendAll(): void {
    const nowMs = this.#options.clock.monotonicMs()
    // Whether the broker accepts frames again is learned from its answers.
    this.#isRefused = false
    this.#isSlow = false
    for (const entry of this.#inFlight.values()) {
      if (entry.attempts > 0 || this.#mayPublish(entry)) entry.nextAttemptAtMs = nowMs
    }
    this.sweep()
  }

  /** Checks everything in flight, instead of one timer for each frame. */
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
    // The whole underlying buffer is retained, even if the frame uses only a part of it.
    if (place === undefined) this.#bytesInFlight += frame.bytes.buffer.byteLength
    else this.#bytesFromLog += frame.bytes.length
    return this.#lastToken
  }

  #leave(token: number, { frame, isFromLog }: FrameInFlight): void {
    this.#inFlight.delete(token)
    // Without a frame in flight no answer would arrive to show that the broker is back, so the next
    // frame tries.
    if (this.#inFlight.size === 0) {
      this.#isRefused = false
      this.#isSlow = false
    }
    if (isFromLog) this.#bytesFromLog -= frame.bytes.length
    else this.#bytesInFlight -= frame.bytes.buffer.byteLength
  }

  /** Returns false when the frame cannot be logged now. */
  #logs(token: number, entry: FrameInFlight): boolean {
    const { wal } = this.#options
    if (wal === undefined || !wal.isUsable || entry.place !== undefined) return false
    if (entry.isBeingLogged) return true
    // mutant: start-to-log-frame
    entry.isBeingLogged = true
    wal.append(entry.frame, (place) => {
      entry.isBeingLogged = false
      if (!this.#inFlight.has(token)) {
        // The broker has acknowledged it meanwhile.
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

  /** Frames for which the disk is too slow are published without being logged. */
  #mayPublish(entry: FrameInFlight): boolean {
    const { durability, wal } = this.#options
    return durability === 'broker' || !entry.isBeingLogged || wal?.isUsable === false
  }

  /**
   * While the broker is unavailable, the write-ahead log suffices: passes a logged frame, and logs
   * one that is not logged yet.
   */
  #settleWithoutBroker(token: number, entry: FrameInFlight): void {
    if (entry.hasPassed) return
    // mutant: pass-frame-without-broker
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

  /** Removes the oldest logged frames from memory; they will be sent from the log. */
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
