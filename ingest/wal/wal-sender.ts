/**
 * Sends frames from segment files, oldest file first: frames that left memory while the broker was
 * away, frames that the broker lost, and frames of dead processes. One file is in memory at a time,
 * and a limited number of bytes is in flight beside live frames. Runs only when called.
 */
import { frameId } from '#schemas/bus/frame.ts'
import type { SealedFrame } from '../frames/frame-batcher.ts'
import { type ScannedFrame, scanFrames } from './scan-frames.ts'
import type { WalPlace, WalSegment } from './wal-segment.ts'
import type { WalFolder } from './wal-store.ts'

/** Accepts frames that are sent from the log. */
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
  /** Called for frames that should be in a file and are missing. */
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

  /** Sends as much as may be sent now. Must be called often. */
  pump(logs: Iterable<SendableWal>): void {
    if (this.#opening) return
    if (this.#file !== undefined && this.#sendFrom(this.#file) === 'more') return
    this.#file = undefined
    if (!this.#options.taker.takesFromLog) return
    for (const log of logs) {
      // Frames of the open segment are still in memory.
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
    // Frames that were marked for sending meanwhile may lie before the current position.
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

/** A broker that lost a frame may still remember its id and reject another copy as a duplicate. */
function messageId(segment: WalSegment, number: ScannedFrame['number']): string {
  const { lostRounds } = segment
  // mutant: message-id-of-resend
  return lostRounds === 0 ? frameId(number) : `${frameId(number)}.${lostRounds}`
}
