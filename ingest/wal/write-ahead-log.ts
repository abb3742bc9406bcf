/**
 * The write-ahead log (WAL) of this process: frames are on disk here before the broker receives
 * them. Frames are written in groups, one group at a time; while one is being written, the next
 * collects. A frame stays until a worker has committed it, so that frames which the broker loses
 * can be resent.
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
  /** Limit for all segments together. */
  readonly bytesMax: number
  /** Called when a full log drops its oldest segment, whose frames only the broker has then. */
  readonly onDropped: (segment: WalSegment) => void
  readonly onError: (error: unknown) => void
  /** Resolves after this number of milliseconds. */
  readonly sleep: (ms: number) => Promise<void>
}

/** Receives the place of a written frame, or undefined when it could not be written. */
export type OnLogged = (place: WalPlace | undefined) => void

interface Waiting {
  readonly frame: SealedFrame
  readonly onLogged: OnLogged
}

/**
 * Minimum time between the starts of two writes. Each costs about 90 µs in the kernel before its
 * bytes count, so under load fewer and larger writes are cheaper. A single frame does not wait.
 */
const groupIntervalMs = 4
/** Frames in one write: the system accepts at most 1024 buffers. */
const groupFramesMax = 512
const groupBytesMax = 8 * MiB
/** Segments are closed at this age, so that new frames do not delay the removal of old ones. */
const segmentAgeMsMax = 5_000
/** No write is attempted for this long after one has failed. */
const retryMs = 1_000
/** A write that takes longer counts as failed: the log is not usable until it completes. */
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
  #hasLastWriteFailed = false
  /** Size of the frame for which the log had no room when it was last written. */
  #refusedBytes = 1
  writesFailed = 0
  /** Segments that were dropped before a worker had committed their frames. */
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

  /**
   * Monotonic time at which the oldest segment was opened; undefined if the log holds no frame that
   * no worker has committed, as far as is known.
   */
  get oldestFrameSinceMs(): number | undefined {
    return this.#segments.find(({ isEmpty }) => !isEmpty)?.openedAtMs
  }

  /**
   * False while the log is full or its disk fails. Frames are then published without being logged.
   */
  get isUsable(): boolean {
    const nowMs = this.#options.clock.monotonicMs()
    if (nowMs < this.#retryAtMs || this.#writeBeganAtMs + writeMsMax <= nowMs) return false
    return this.byteCount < this.#options.bytesMax || this.#canDropOldest()
  }

  /**
   * Resolves to why frames cannot be written, or to undefined. After a failed write it tries the
   * disk, because no frame may follow that would: clients are elsewhere while this process is not
   * ready.
   */
  async findFault(): Promise<string | undefined> {
    const { clock, bytesMax } = this.#options
    if (this.#writeBeganAtMs + writeMsMax <= clock.monotonicMs()) {
      return `The disk of the write-ahead log has not completed a write for ${writeMsMax / 1_000} s.`
    }
    if (bytesMax < this.byteCount + this.#refusedBytes && !this.#canDropOldest()) {
      return 'The write-ahead log is full of events that the broker has not acknowledged.'
    }
    if (!this.#hasLastWriteFailed) return undefined
    try {
      await this.folder.check()
      this.#hasLastWriteFailed = false
      return undefined
    } catch {
      return 'The disk of the write-ahead log refuses writes.'
    }
  }

  append(frame: SealedFrame, onLogged: OnLogged): void {
    this.#waiting.push({ frame, onLogged })
    this.#waitingBytes += frame.bytes.length
    this.#writing ??= this.#writeGroups()
  }

  /** Must be called about once a second. */
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
    // Waits for the end of the turn, so that the frames of all partitions form one group.
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
        this.#hasLastWriteFailed = false
        this.#refusedBytes = 1
        segment.bytes += bytes
        this.#bytes += bytes
        this.#waitingBytes -= bytes
        for (const { frame, onLogged } of group) {
          onLogged(segment.add(frame.partition, frame.counter))
        }
      } catch (error) {
        this.#waitingBytes -= bytes
        this.#refusedBytes = Math.max(...group.map(({ frame }) => frame.bytes.length))
        this.#fail(error)
        // mutant: failed-log-write
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

  /** Takes at least one frame of any size. */
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

  /** The segment may end in half a write, so nothing is appended to it. */
  #fail(error: unknown): void {
    this.writesFailed += 1
    this.#hasLastWriteFailed = true
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

  /** Drops acknowledged segments to make room for frames that are not acknowledged. */
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
