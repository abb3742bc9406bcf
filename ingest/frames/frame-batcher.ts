/**
 * Collects records into one frame per partition, and numbers the frames. A frame is sealed when the turn of the event
 * loop ends, but while the one before it is on its way, or as many of other partitions are as there are places, it goes on
 * collecting: the slower the broker, the larger the frames, and the cheaper each record, whatever the number of partitions.
 * A request waits for each frame that holds something of it; whoever delivers the frames lets it go.
 */
import {
  type FrameNumber,
  FrameWriter,
  firstFrameCounter,
  frameId,
  type RecordFields,
} from '#schemas/bus/frame.ts'
import { partitionOf } from '#schemas/bus/partition.ts'
import {
  busMessageBytesMax,
  frameBytesTarget,
  recordHeaderBytesMax,
  recordsPerFrameMax,
} from '#schemas/limits.ts'
import { FrameBuffers } from './frame-buffers.ts'

/** A request as the frames see it. */
export interface FrameWaiter {
  /** Something of the request stands in one more frame. */
  hold(): void
  /** One of its frames is as durable as it can be: in the log and on the bus, or on one of them while the other is away. */
  release(): void
  /** One of its frames is nowhere yet, and the time is up; the frame itself is still on its way. */
  expire(): void
}

export interface SealedFrame extends FrameNumber {
  readonly id: string
  readonly bytes: Buffer
  readonly waiters: FrameWaiter[]
}

export interface FrameBatcherOptions {
  readonly instanceId: string
  /** Stands in every frame, so that workers of another installation leave it alone; 0 when left out. */
  readonly installationMark?: number
  readonly partitionCount: number
  send(frame: SealedFrame): void
  /** Runs once when the turn ends, before the frames are sealed; it may still append. */
  beforeFlush(): void
  /** Calls back when the current turn of the event loop is over. */
  atTurnEnd(flush: () => void): void
}

interface OpenFrame {
  readonly writer: FrameWriter
  nextCounter: number
  waiters: FrameWaiter[]
  /** Sealed frames of the partition whose requests still wait. */
  underway: number
}

/** Frames of one partition on their way at a time, unless they are full. */
const underwayMax = 1
/**
 * Partitions that have a frame on its way at a time. What a frame costs, here and in every process behind, does not depend
 * on how much it holds, so sixteen partitions that send as often as four do pay four times as much for the same events.
 */
const placesMax = 4

export class FrameBatcher {
  readonly #options: FrameBatcherOptions
  readonly #open: readonly OpenFrame[]
  readonly #buffers = new FrameBuffers()
  readonly #endTurn = () => this.endTurn()
  #isScheduled = false
  /** Frames that hold a place, by the sweep since which they do. */
  #placed = new Set<SealedFrame>()
  #placedLong = new Set<SealedFrame>()
  #isHeldBack = false
  /** The partition that is looked at first, so that each has its turn. */
  #first = 0

  constructor(options: FrameBatcherOptions) {
    this.#options = options
    this.#open = Array.from({ length: options.partitionCount }, (_, partition) => ({
      writer: new FrameWriter(partition, this.#buffers),
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

  /** One record for many requests, each of which has been held for it already. */
  appendFor(record: RecordFields, heldWaiters: readonly FrameWaiter[]): void {
    const open = this.#write(record)
    for (const waiter of heldWaiters) open.waiters.push(waiter)
    this.#sealIfFull(open)
  }

  #write(record: RecordFields): OpenFrame {
    const key = record.partitionKey ?? record.recordId
    const partition = partitionOf(record.projectId, key, 0, this.#open.length)
    const open = this.#open[partition]!
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

  /** Makes sure that the turn ends with a flush, though nothing was appended yet. */
  schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#options.atTurnEnd(this.#endTurn)
  }

  /** Seals what no other frame stands before, while there are places. */
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
   * Call several times a second. A frame keeps its place from one call to the next but one: where the broker does not answer
   * for some partitions, the others do not wait for them.
   */
  sweep(): void {
    this.#placedLong = this.#placed
    this.#placed = new Set()
    if (this.#isHeldBack) this.schedule()
  }

  /** The frame's requests are let go: what was collected behind it may go. `isReusable`: so may its bytes be. */
  pass(frame: SealedFrame, isReusable: boolean): void {
    if (isReusable) this.#buffers.giveBack(frame.bytes)
    const open = this.#open[frame.partition]!
    open.underway -= 1
    if (!this.#placed.delete(frame)) this.#placedLong.delete(frame)
    if (this.#isHeldBack || open.writer.recordCount > 0) this.schedule()
  }

  /** Seals everything, whatever is on its way. */
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
    open.nextCounter += 1
    const bytes = writer.finish(number, this.#options.installationMark)
    // Spelled out: spreading the number is several times slower.
    const frame = { instanceId, partition, counter, id: frameId(number), bytes, waiters }
    this.#placed.add(frame)
    this.#options.send(frame)
  }
}
