/**
 * Collects records into one frame per partition and numbers the frames. A frame is sealed at the
 * end of an event-loop turn, unless the previous frame of its partition is still in flight or all
 * slots are taken; then it keeps collecting. So frames grow while the broker is slow, and the cost
 * per record falls. A request waits for every frame that contains one of its records; the courier
 * that delivers the frames releases it.
 */
import { type FrameNumber, firstFrameCounter, frameId } from '#schemas/bus/frame.ts'
import { FrameWriter, type RecordFields } from '#schemas/bus/frame-writer.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { partitionOf } from '#schemas/bus/partition.ts'
import {
  busMessageBytesMax,
  frameBytesTarget,
  recordHeaderBytesMax,
  recordsPerFrameMax,
} from '#schemas/limits.ts'
import { FrameBuffers } from './frame-buffers.ts'

/** The part of a request that frames use. */
export interface FrameWaiter {
  /** Called once for each frame that contains a record of the request. */
  hold(): void
  /**
   * Called when one of its frames is durable: in the write-ahead log and on the broker, or in one
   * of them while the other is unavailable.
   */
  release(): void
  /** Called when one of its frames is not durable in time. The frame is still delivered. */
  expire(): void
}

export interface SealedFrame extends FrameNumber {
  readonly id: string
  readonly bytes: Buffer
  readonly waiters: FrameWaiter[]
}

export interface FrameBatcherOptions {
  readonly instanceId: string
  /**
   * Mark in every frame, by which workers recognise frames of other installations; 0 when omitted.
   */
  readonly installationMark?: number
  /** The partitions to which records are assigned. */
  readonly layout: Pick<IngestLayout, 'first' | 'partitions'>
  send(frame: SealedFrame): void
  /** Called once at the end of a turn, before frames are sealed. May append records. */
  beforeFlush(): void
  /** Calls back at the end of the current event-loop turn. */
  atTurnEnd(flush: () => void): void
}

interface OpenFrame {
  readonly writer: FrameWriter
  nextCounter: number
  waiters: FrameWaiter[]
  /** Sealed frames of the partition whose requests are not released yet. */
  underway: number
}

/** Frames of one partition in flight at a time, unless frames are full. */
const underwayMax = 1
/**
 * Partitions with a frame in flight at a time (slots). Here and in every later process, a frame
 * costs the same for any number of records, so sixteen partitions that send as often as four would
 * cost four times as much for the same events.
 */
const placesMax = 4

export class FrameBatcher {
  readonly #options: FrameBatcherOptions
  readonly #open: readonly OpenFrame[]
  readonly #buffers = new FrameBuffers()
  readonly #endTurn = () => this.endTurn()
  #isScheduled = false
  /** Frames that occupy a slot since the latest sweep, and since the one before. */
  #placed = new Set<SealedFrame>()
  #placedLong = new Set<SealedFrame>()
  #isHeldBack = false
  /** The partition that is checked first, which rotates so that all get their turn. */
  #first = 0

  constructor(options: FrameBatcherOptions) {
    this.#options = options
    const { first, partitions } = options.layout
    this.#open = Array.from({ length: partitions }, (_, index) => ({
      writer: new FrameWriter(first + index, this.#buffers),
      nextCounter: firstFrameCounter,
      waiters: [],
      underway: 0,
    }))
  }

  append(record: RecordFields, waiter: FrameWaiter): void {
    const open = this.#write(record)
    if (open.waiters.at(-1) !== waiter) {
      open.waiters.push(waiter)
      waiter.hold()
    }
    this.#sealIfFull(open)
  }

  /** Appends one record for many requests, which have been held for it already. */
  appendFor(record: RecordFields, heldWaiters: readonly FrameWaiter[]): void {
    const open = this.#write(record)
    for (const waiter of heldWaiters) open.waiters.push(waiter)
    this.#sealIfFull(open)
  }

  #write(record: RecordFields): OpenFrame {
    const key = record.partitionKey ?? record.recordId
    const open = this.#open[partitionOf(record.projectId, key, 0, this.#open.length)]!
    const { payload, payloadStart = 0, payloadEnd = payload.length } = record
    const bytesBound = payloadEnd - payloadStart + recordHeaderBytesMax * 4
    if (busMessageBytesMax < open.writer.byteLength + bytesBound) this.#seal(open)
    open.writer.append(record)
    return open
  }

  #sealIfFull(open: OpenFrame): void {
    const isFull =
      frameBytesTarget <= open.writer.byteLength || recordsPerFrameMax <= open.writer.recordCount
    if (isFull) this.#seal(open)
    else this.schedule()
  }

  /** Schedules a flush at the end of the turn, also when nothing was appended. */
  schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#options.atTurnEnd(this.#endTurn)
  }

  /** Seals the frames that no other frame of their partition blocks, while there are slots. */
  endTurn(): void {
    this.#options.beforeFlush()
    this.#isScheduled = false
    this.#isHeldBack = false
    const count = this.#open.length
    const first = this.#first
    for (let step = 0; step < count; step += 1) {
      const index = (first + step) % count
      const open = this.#open[index]!
      if (open.writer.recordCount === 0 || open.underway >= underwayMax) continue
      if (this.#placed.size + this.#placedLong.size >= placesMax) {
        this.#isHeldBack = true
        this.#first = index
        return
      }
      this.#seal(open)
    }
  }

  /**
   * Must be called several times a second. A frame gives up its slot after one to two calls, so
   * that partitions for which the broker does not answer do not block the others.
   */
  sweep(): void {
    this.#placedLong = this.#placed
    this.#placed = new Set()
    if (this.#isHeldBack) this.schedule()
  }

  /**
   * Called when a frame's requests are released, so that the next frame may be sent.
   * @param isReusable its bytes may be overwritten.
   */
  pass(frame: SealedFrame, isReusable: boolean): void {
    if (isReusable) this.#buffers.giveBack(frame.bytes)
    const open = this.#open[frame.partition - this.#options.layout.first]!
    open.underway -= 1
    if (!this.#placed.delete(frame)) this.#placedLong.delete(frame)
    if (this.#isHeldBack || open.writer.recordCount > 0) this.schedule()
  }

  /** Seals all frames, also behind frames in flight. */
  flush(): void {
    this.#options.beforeFlush()
    for (const open of this.#open) this.#seal(open)
  }

  #seal(open: OpenFrame): void {
    const { writer, waiters } = open
    if (writer.recordCount === 0) return
    open.waiters = []
    open.underway += 1
    const { instanceId } = this.#options
    const { partition } = writer
    const counter = open.nextCounter
    const number = { instanceId, partition, counter }
    // mutant: next-frame-counter
    open.nextCounter += 1
    const bytes = writer.finish(number, this.#options.installationMark)
    // Written out: spreading the number is several times slower.
    const frame = { instanceId, partition, counter, id: frameId(number), bytes, waiters }
    this.#placed.add(frame)
    this.#options.send(frame)
  }
}
