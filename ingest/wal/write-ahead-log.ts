/**
 * The write-ahead log of this process: frames stand here, on disk, before the broker sees them. Frames of a moment are
 * written together, one group after another; while one is being written the next collects. A frame stays until a
 * worker has committed it, so that whatever the broker forgets can be sent again.
 */
import type { Clock } from '#platform/clock.ts'
import { failpoint } from '#platform/failpoint.ts'
import { logSegmentBytesMax, MiB } from '#schemas/limits.ts'
import type { SealedFrame } from '../frames/frame-batcher.ts'
import { type WalPlace, WalSegment } from './wal-segment.ts'
import type { WalFolder } from './wal-store.ts'

export interface WriteAheadLogOptions {
  readonly folder: WalFolder
  readonly clock: Clock
  /** Of all segments together. */
  readonly bytesMax: number
  /** A full log has let go of its oldest file, whose frames only the broker has now. */
  readonly onDropped: (segment: WalSegment) => void
  readonly onError: (error: unknown) => void
  /** Resolves after so many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>
}

/** What becomes of a frame that was handed to the log: its place, or undefined when it could not be written. */
export type OnLogged = (place: WalPlace | undefined) => void

interface Waiting {
  readonly frame: SealedFrame
  readonly onLogged: OnLogged
}

/**
 * Writes begin no closer together than this. What a write costs hardly depends on how much it writes, so under load fewer
 * and larger ones pay; a frame that comes alone does not wait.
 */
const groupIntervalMs = 2
/** Frames of one write: the system takes no more than 1024 parts. */
const groupFramesMax = 512
const groupBytesMax = 8 * MiB
/** A segment that is older is closed, so that what it holds is not kept for the sake of what comes. */
const segmentAgeMsMax = 5_000
/** After a write that failed the disk is left alone for so long. */
const retryMs = 1_000
/** A disk that has not taken a group by then is as good as one that refused it. */
const writeMsMax = 2_000

export class WriteAheadLog {
  readonly folder: WalFolder
  readonly #options: WriteAheadLogOptions
  readonly #segments: WalSegment[] = []
  #current: WalSegment | undefined
  #lastSegmentNo = 0
  #bytes = 0
  #waiting: Waiting[] = []
  #waitingBytes = 0
  #writing: Promise<void> | undefined
  #groupAtMs = Number.NEGATIVE_INFINITY
  #writeBeganAtMs = Number.POSITIVE_INFINITY
  #retryAtMs = Number.NEGATIVE_INFINITY
  writesFailed = 0
  /** Frames that had to leave the log before a worker had committed them; the broker alone has them. */
  segmentsDropped = 0

  constructor(options: WriteAheadLogOptions) {
    this.folder = options.folder
    this.#options = options
  }

  get segments(): readonly WalSegment[] {
    return this.#segments
  }

  get byteCount(): number {
    return this.#bytes + this.#waitingBytes
  }

  /** False while the log is full or its disk fails: then a frame has only the broker. */
  get isUsable(): boolean {
    const nowMs = this.#options.clock.monotonicMs()
    if (nowMs < this.#retryAtMs || this.#writeBeganAtMs + writeMsMax <= nowMs) return false
    return this.byteCount < this.#options.bytesMax || this.#canDropOldest()
  }

  append(frame: SealedFrame, onLogged: OnLogged): void {
    this.#waiting.push({ frame, onLogged })
    this.#waitingBytes += frame.bytes.length
    this.#writing ??= this.#writeGroups()
  }

  /** To be called about once a second. */
  tick(): void {
    const { clock } = this.#options
    const current = this.#current
    if (current === undefined || this.#writing !== undefined) return
    if (current.openedAtMs + segmentAgeMsMax <= clock.monotonicMs()) this.#closeCurrent()
  }

  async remove(segment: WalSegment): Promise<void> {
    await this.folder.removeSegment(segment.no)
    const index = this.#segments.indexOf(segment)
    if (index === -1) return
    this.#segments.splice(index, 1)
    this.#bytes -= segment.bytes
  }

  async close(): Promise<void> {
    await this.#writing
    await this.folder.close()
  }

  async #writeGroups(): Promise<void> {
    // The frames of all partitions come in one turn, and go together.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      await this.#pace()
      const { group, bytes } = this.#takeGroup()
      this.#writeBeganAtMs = this.#options.clock.monotonicMs()
      try {
        await this.#makeRoom(bytes)
        const segment = this.#segmentFor(bytes)
        await this.folder.append(
          segment.no,
          group.map(({ frame }) => frame.bytes),
        )
        failpoint('ingest.after_log_write')
        segment.bytes += bytes
        this.#bytes += bytes
        this.#waitingBytes -= bytes
        for (const { frame, onLogged } of group) {
          onLogged(segment.add(frame.partition, frame.counter))
        }
      } catch (error) {
        this.#waitingBytes -= bytes
        this.#fail(error)
        for (const { onLogged } of group) onLogged(undefined)
      }
      this.#writeBeganAtMs = Number.POSITIVE_INFINITY
    }
    this.#writing = undefined
  }

  async #pace(): Promise<void> {
    const { clock, sleep } = this.#options
    const waitMs = this.#groupAtMs + groupIntervalMs - clock.monotonicMs()
    if (waitMs > 0) await sleep(waitMs)
    this.#groupAtMs = clock.monotonicMs()
  }

  /** At least one frame, however large. */
  #takeGroup(): { readonly group: readonly Waiting[]; readonly bytes: number } {
    let count = 0
    let bytes = 0
    for (const { frame } of this.#waiting) {
      if (count > 0 && (count === groupFramesMax || groupBytesMax < bytes + frame.bytes.length)) {
        break
      }
      count += 1
      bytes += frame.bytes.length
    }
    return { group: this.#waiting.splice(0, count), bytes }
  }

  /** Half a write may stand at the end of the segment, so nothing is written behind it. */
  #fail(error: unknown): void {
    this.writesFailed += 1
    this.#retryAtMs = this.#options.clock.monotonicMs() + retryMs
    this.#closeCurrent()
    this.#options.onError(error)
  }

  #segmentFor(bytes: number): WalSegment {
    const current = this.#current
    const nowMs = this.#options.clock.monotonicMs()
    const isYoung = current !== undefined && nowMs < current.openedAtMs + segmentAgeMsMax
    if (isYoung && current.bytes + bytes <= logSegmentBytesMax) return current
    this.#closeCurrent()
    this.#lastSegmentNo += 1
    const opened = new WalSegment(this.#lastSegmentNo, nowMs)
    this.#segments.push(opened)
    this.#current = opened
    return opened
  }

  #closeCurrent(): void {
    if (this.#current !== undefined) this.#current.isClosed = true
    this.#current = undefined
  }

  /** What the broker has acknowledged makes room for what nobody has. */
  async #makeRoom(bytes: number): Promise<void> {
    while (this.#options.bytesMax < this.#bytes + bytes) {
      const oldest = this.#segments[0]
      if (oldest === undefined || !this.#canDropOldest()) {
        throw new WalFullError(`the log holds ${this.#bytes} bytes that were not acknowledged`)
      }
      this.segmentsDropped += 1
      this.#options.onDropped(oldest)
      await this.remove(oldest)
    }
  }

  #canDropOldest(): boolean {
    const oldest = this.#segments[0]
    return oldest?.isClosed === true && oldest.isAcknowledged
  }
}

export class WalFullError extends Error {}
