/**
 * Sends frames from the files of a log, oldest file first: what left memory while the broker was away, what it has
 * forgotten, and what a dead process has left. One file is in memory at a time, and frames go a few at a time, beside
 * live ones. It moves only when it is called.
 */
import { frameId } from '#schemas/bus/frame.ts'
import type { SealedFrame } from '../frames/frame-batcher.ts'
import { type ScannedFrame, scanFrames } from './scan-frames.ts'
import type { WalPlace, WalSegment } from './wal-segment.ts'
import type { WalFolder } from './wal-store.ts'

/** Where frames of the log go on. */
export interface WalFrameTaker {
  readonly takesFromLog: boolean
  sendFromLog(frame: SealedFrame, place: WalPlace): void
}

export interface SendableWal {
  readonly folder: WalFolder
  readonly segments: readonly WalSegment[]
}

interface OpenFile {
  readonly log: SendableWal
  readonly segment: WalSegment
  readonly frames: readonly ScannedFrame[]
  next: number
}

export interface WalSenderOptions {
  readonly taker: WalFrameTaker
  /** Frames that must be in a file and are not. */
  readonly onMissing: (folder: WalFolder, count: number) => void
  readonly onError: (error: unknown) => void
}

export class WalSender {
  readonly #options: WalSenderOptions
  #file: OpenFile | undefined
  #opening = false
  framesSent = 0

  constructor(options: WalSenderOptions) {
    this.#options = options
  }

  /** Sends what may be sent now. To be called often. */
  pump(logs: Iterable<SendableWal>): void {
    if (this.#opening) return
    if (this.#file !== undefined && this.#sendFrom(this.#file) === 'more') return
    this.#file = undefined
    if (!this.#options.taker.takesFromLog) return
    for (const log of logs) {
      // The file that is being written has its frames in memory.
      const segment = log.segments.find((each) => each.isClosed && each.hasFramesToSend)
      if (segment === undefined) continue
      void this.#open(log, segment)
      return
    }
  }

  async #open(log: SendableWal, segment: WalSegment): Promise<void> {
    this.#opening = true
    try {
      const file = await log.folder.read(segment.no)
      const frames: ScannedFrame[] = []
      scanFrames(file, (frame) => frames.push(frame))
      this.#file = { log, segment, frames, next: 0 }
    } catch (error) {
      this.#options.onError(error)
    } finally {
      this.#opening = false
    }
  }

  #sendFrom(file: OpenFile): 'more' | 'done' {
    const { taker, onMissing } = this.#options
    while (file.next < file.frames.length && file.segment.hasFramesToSend) {
      if (!taker.takesFromLog) return 'more'
      const { number, bytes } = file.frames[file.next]!
      file.next += 1
      const place = file.segment.takeToSend(number.partition, number.counter)
      if (place === undefined) continue
      this.framesSent += 1
      taker.sendFromLog(
        { ...number, id: messageId(file.segment, number), bytes, waiters: [] },
        place,
      )
    }
    // Frames that were added to the list meanwhile may stand before the place that was reached.
    if (file.next === file.frames.length && file.segment.hasFramesToSend) {
      const known = new Set(file.frames.map(({ number }) => frameId(number)))
      const missing = file.segment.giveUpMissing((partition, counter) =>
        known.has(frameId({ instanceId: file.log.folder.instanceId, partition, counter })),
      )
      if (missing > 0) onMissing(file.log.folder, missing)
    }
    return 'done'
  }
}

/** A broker that has forgotten a frame may still know its id, and would take another copy for a duplicate. */
function messageId(segment: WalSegment, number: ScannedFrame['number']): string {
  const { forgottenRounds } = segment
  return forgottenRounds === 0 ? frameId(number) : `${frameId(number)}.${forgottenRounds}`
}
