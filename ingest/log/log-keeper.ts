/**
 * Looks after the logs of this process and of dead ones: learns what workers have committed, lets go of files that are
 * no longer needed, has frames sent again that the broker has forgotten, takes over what a dead process has left,
 * and settles that process once nothing of it can come any more. It moves only when it is ticked.
 */
import type { Clock } from '#platform/clock.ts'
import type { DeliverySource, DeliveryState } from './delivery-source.ts'
import type { FrameLog } from './frame-log.ts'
import { digestedCounters, LogSegment } from './log-segment.ts'
import { type LogFrameTaker, LogSender } from './log-sender.ts'
import type { LogFolder, LogStore } from './log-store.ts'
import { scanFrames } from './scan-frames.ts'

export interface LogKeeperOptions {
  readonly clock: Clock
  readonly bootId: string
  readonly own: FrameLog
  readonly store: LogStore
  readonly source: DeliverySource
  readonly taker: LogFrameTaker
  readonly onNotice: (notice: LogNotice) => void
  readonly onError: (error: unknown) => void
}

export type LogNotice =
  /** The log of a dead process was taken over. */
  | { readonly kind: 'adopted'; readonly bootId: string; readonly frames: number }
  /** All of it is committed, and its leases are settled. */
  | { readonly kind: 'settled'; readonly bootId: string }
  /** A full log has let go of frames that only the broker has now. */
  | { readonly kind: 'dropped'; readonly bootId: string; readonly bytes: number }
  /** The broker had acknowledged frames that it no longer has; they are sent again. */
  | { readonly kind: 'forgotten'; readonly bootId: string; readonly frames: number }
  /** A file of the log lacks frames, or holds bytes that are none: the disk has lost or changed them. */
  | {
      readonly kind: 'damaged'
      readonly bootId: string
      readonly frames: number
      readonly bytes: number
    }

/** The log of a dead process. */
interface AdoptedLog {
  readonly folder: LogFolder
  readonly segments: LogSegment[]
  readonly adoptedAtMs: number
  /** Where the bus ended, by partition, when nothing of the process could be on its way any more. */
  lastSeqs: ReadonlyMap<number, number> | undefined
  lastSeqsAtMs: number
}

/** What is known of the fate of frames at one moment. */
interface Look {
  readonly state: DeliveryState
  /** Asked for only when something is overdue. */
  readonly lastSeqs: ReadonlyMap<number, number> | undefined
  readonly readAtMs: number
}

const readEveryMs = 1_000
const adoptEveryMs = 10_000
const beatEveryMs = 5_000
/** What a dead process had handed to its socket has reached the broker after this time. */
const quietMs = 3_000
/** A stream that was made anew meanwhile has other sequences. */
const lastSeqsAgeMsMax = 30_000

export class LogKeeper {
  readonly #options: LogKeeperOptions
  readonly #sender: LogSender
  readonly #adopted: AdoptedLog[] = []
  #busy: Promise<void> = Promise.resolve()
  #isBusy = false
  #readAtMs = Number.NEGATIVE_INFINITY
  #adoptAtMs = Number.NEGATIVE_INFINITY
  #beatAtMs = Number.NEGATIVE_INFINITY
  /** At the last look something that was acknowledged long ago was not committed. */
  #isOverdue = false
  framesForgotten = 0

  constructor(options: LogKeeperOptions) {
    this.#options = options
    const { taker, onError } = options
    this.#sender = new LogSender({
      taker,
      onError,
      onMissing: (folder, frames) =>
        this.#notice({ kind: 'damaged', bootId: folder.bootId, frames, bytes: 0 }),
    })
  }

  get adoptedCount(): number {
    return this.#adopted.length
  }

  /** Frames that were sent from the log. */
  get framesSentFromLog(): number {
    return this.#sender.framesSent
  }

  /** To be called several times a second. */
  tick(): void {
    this.#sender.pump([this.#options.own, ...this.#adopted])
    if (this.#isBusy) return
    this.#isBusy = true
    this.#busy = this.#work()
      .catch((error: unknown) => this.#options.onError(error))
      .finally(() => {
        this.#isBusy = false
      })
  }

  /** What was adopted stays where it is: the next process adopts it with this one's. */
  async close(): Promise<void> {
    this.#isBusy = true
    await this.#busy
    for (const { folder } of this.#adopted) await folder.close()
  }

  async #work(): Promise<void> {
    const nowMs = this.#options.clock.monotonicMs()
    this.#options.own.tick()
    if (this.#beatAtMs + beatEveryMs <= nowMs) {
      this.#beatAtMs = nowMs
      for (const { folder } of [this.#options.own, ...this.#adopted]) await folder.beat()
    }
    if (this.#adoptAtMs + adoptEveryMs <= nowMs) {
      this.#adoptAtMs = nowMs
      await this.#adopt()
    }
    if (this.#readAtMs + readEveryMs <= nowMs) {
      this.#readAtMs = nowMs
      await this.#confirm()
    }
  }

  /** One at a time; whoever has left more than one is found again in a while. */
  async #adopt(): Promise<void> {
    const { store, bootId } = this.#options
    const folder = await store.adopt(bootId)
    if (folder === undefined) return
    const segments: LogSegment[] = []
    let frames = 0
    for (const { no, bytes } of await folder.segments()) {
      const segment = new LogSegment(no, this.#options.clock.monotonicMs())
      segment.bytes = bytes
      segment.isClosed = true
      const skipped = scanFrames(await folder.read(no), ({ number }) => {
        // A file can hold no frames but those of its process.
        if (number.bootId !== folder.bootId) return
        segment.addUnsent(number.partition, number.counter)
        frames += 1
      })
      segments.push(segment)
      // The end of the last write is usually missing. Nobody was answered for it.
      if (skipped > 0)
        this.#notice({ kind: 'damaged', bootId: folder.bootId, frames: 0, bytes: skipped })
    }
    this.#adopted.push({
      folder,
      segments,
      adoptedAtMs: this.#options.clock.monotonicMs(),
      lastSeqs: undefined,
      lastSeqsAtMs: 0,
    })
    this.#notice({ kind: 'adopted', bootId: folder.bootId, frames })
  }

  async #confirm(): Promise<void> {
    const { own, source, clock } = this.#options
    if (own.segments.length === 0 && this.#adopted.length === 0) return
    const readAtMs = clock.monotonicMs()
    const lastSeqs = this.#isOverdue ? await source.lastSeqs() : undefined
    const bootIds = [own, ...this.#adopted].map(({ folder }) => folder.bootId)
    const look: Look = { state: await source.read(bootIds), lastSeqs, readAtMs }
    this.#isOverdue = false
    for (const segment of [...own.segments]) {
      if (this.#isDone(own.folder, segment, look)) await own.remove(segment)
    }
    for (const log of [...this.#adopted]) await this.#finish(log, look)
  }

  async #finish(log: AdoptedLog, look: Look): Promise<void> {
    const { folder, segments } = log
    const { state, readAtMs } = look
    for (const segment of [...segments]) {
      if (!this.#isDone(folder, segment, look)) continue
      await folder.removeSegment(segment.no)
      segments.splice(segments.indexOf(segment), 1)
    }
    if (segments.length > 0) return
    // Beside what its log holds, a process may have published what it could not log.
    if (readAtMs < log.adoptedAtMs + quietMs) return
    if (log.lastSeqs === undefined || log.lastSeqsAtMs + lastSeqsAgeMsMax < readAtMs) {
      log.lastSeqs = await this.#options.source.lastSeqs()
      log.lastSeqsAtMs = readAtMs
      return
    }
    for (const [partition, seq] of log.lastSeqs) {
      if ((state.committedSeqs.get(partition) ?? 0) < seq) return
    }
    await this.#options.source.settleBoot(folder.bootId)
    await folder.remove()
    this.#adopted.splice(this.#adopted.indexOf(log), 1)
    this.#notice({ kind: 'settled', bootId: folder.bootId })
  }

  /** Confirmed, and nothing will be appended. */
  #isDone(folder: LogFolder, segment: LogSegment, { state, lastSeqs, readAtMs }: Look): boolean {
    const digestedOf = digestedCounters(state.digested, folder.bootId)
    if (segment.confirm(digestedOf)) return segment.isClosed
    const frames = segment.findForgotten(state.committedSeqs, lastSeqs, digestedOf, readAtMs)
    if (frames > 0) {
      this.framesForgotten += frames
      this.#notice({ kind: 'forgotten', bootId: folder.bootId, frames })
    }
    this.#isOverdue ||= segment.isOverdue(digestedOf, readAtMs)
    return false
  }

  #notice(notice: LogNotice): void {
    this.#options.onNotice(notice)
  }
}
