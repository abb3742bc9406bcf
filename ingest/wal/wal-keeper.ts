/**
 * Maintains the write-ahead logs of this process and of dead ones. It reads what workers have
 * committed, removes segments that are no longer needed, has frames resent that the broker lost,
 * adopts logs of dead processes, and settles a dead process once all its frames are committed. Runs
 * only when ticked.
 */
import type { Clock } from '#platform/clock.ts'
import type { DeliverySource, DeliveryState } from './delivery-source.ts'
import { scanFrames } from './scan-frames.ts'
import { digestedCounters, WalSegment } from './wal-segment.ts'
import { type WalFrameTaker, WalSender } from './wal-sender.ts'
import type { WalFolder, WalStore } from './wal-store.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

export interface WalKeeperOptions {
  readonly clock: Clock
  readonly instanceId: string
  readonly own: WriteAheadLog
  readonly store: WalStore
  readonly source: DeliverySource
  readonly taker: WalFrameTaker
  readonly onNotification: (notification: WalNotification) => void
  readonly onError: (error: unknown) => void
}

export type WalNotification =
  /** The log of a dead process was adopted. */
  | { readonly kind: 'adopted'; readonly instanceId: string; readonly frames: number }
  /** All frames of a dead process are committed and its leases are settled. */
  | { readonly kind: 'settled'; readonly instanceId: string }
  /** A full log has dropped frames; only the broker has them now. */
  | { readonly kind: 'dropped'; readonly instanceId: string; readonly bytes: number }
  /** The broker lost frames that it had acknowledged; they are resent. */
  | { readonly kind: 'forgotten'; readonly instanceId: string; readonly frames: number }
  /**
   * A segment misses frames, or contains bytes that are not frames: the disk lost or changed them.
   */
  | {
      readonly kind: 'damaged'
      readonly instanceId: string
      readonly frames: number
      readonly bytes: number
    }

/** The log of a dead process. */
interface AdoptedWal {
  readonly folder: WalFolder
  readonly segments: WalSegment[]
  readonly adoptedAtMs: number
  /** The committed frames are known, so the others can be sent. */
  isKnown: boolean
  /** Last sequence of each partition at a time when no frame of the process could be in transit. */
  lastSeqs: ReadonlyMap<number, number> | undefined
  lastSeqsAtMs: number
}

/** A periodic task that does not overlap with itself and does not wait for the other tasks. */
interface Duty {
  readonly everyMs: number
  readonly run: () => Promise<void>
  dueAtMs: number
  running: Promise<void> | undefined
}

/** The delivery state at one moment. */
interface Look {
  readonly state: DeliveryState
  /** Read only when a frame is overdue. */
  readonly lastSeqs: ReadonlyMap<number, number> | undefined
  readonly readAtMs: number
}

const readEveryMs = 1_000
const adoptEveryMs = 10_000
const beatEveryMs = 5_000
/** After this time, frames that a dead process wrote to its socket have reached the broker. */
const quietMs = 3_000
/** Sequences older than this are read again, because a recreated stream has other sequences. */
const lastSeqsAgeMsMax = 30_000

export class WalKeeper {
  readonly #options: WalKeeperOptions
  readonly #sender: WalSender
  readonly #adopted: AdoptedWal[] = []
  readonly #duties: readonly Duty[]
  /** Adopted, but not yet read. */
  #unread: WalFolder | undefined
  #isClosed = false
  /** A frame that was acknowledged long ago was not committed at the last check. */
  #isOverdue = false
  framesForgotten = 0

  constructor(options: WalKeeperOptions) {
    this.#options = options
    const { taker, onError } = options
    this.#sender = new WalSender({
      taker,
      onError,
      onMissing: (folder, frames) =>
        this.#notify({ kind: 'damaged', instanceId: folder.instanceId, frames, bytes: 0 }),
    })
    // Separate tasks: a store that does not answer must not stop the heartbeat.
    this.#duties = [
      duty(beatEveryMs, () => this.#beat()),
      duty(adoptEveryMs, () => this.#adopt()),
      duty(readEveryMs, () => this.#confirm()),
    ]
  }

  /** Monotonic time since which the oldest adopted log has frames that no worker has committed. */
  get oldestAdoptedSinceMs(): number | undefined {
    return this.#adopted.find(({ segments }) => segments.length > 0)?.adoptedAtMs
  }

  get adoptedCount(): number {
    return this.#adopted.length
  }

  /** Number of frames that were sent from write-ahead logs. */
  get framesSentFromLog(): number {
    return this.#sender.framesSent
  }

  /** Must be called several times a second. */
  tick(): void {
    if (this.#isClosed) return
    this.#sender.pump([this.#options.own, ...this.#adopted.filter(({ isKnown }) => isKnown)])
    this.#options.own.tick()
    const nowMs = this.#options.clock.monotonicMs()
    for (const duty of this.#duties) {
      if (duty.running !== undefined || nowMs < duty.dueAtMs) continue
      duty.dueAtMs = nowMs + duty.everyMs
      duty.running = duty
        .run()
        .catch((error: unknown) => this.#options.onError(error))
        .finally(() => {
          duty.running = undefined
        })
    }
  }

  /** Adopted logs stay where they are: the next process adopts them together with this one's. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#duties.map(({ running }) => running))
    for (const { folder } of this.#adopted) await folder.close()
  }

  /** Only the own folder needs a heartbeat: adopted folders name this process as their adopter. */
  #beat(): Promise<void> {
    return this.#options.own.folder.beat()
  }

  /** Adopts one log per call. */
  async #adopt(): Promise<void> {
    const { store, instanceId } = this.#options
    const folder = this.#unread ?? (await store.adopt(instanceId))
    if (folder === undefined) return
    this.#unread = folder
    const segments: WalSegment[] = []
    let frames = 0
    for (const { no, bytes } of await folder.segments()) {
      const segment = new WalSegment(no, this.#options.clock.monotonicMs())
      segment.bytes = bytes
      segment.isClosed = true
      const skipped = scanFrames(await folder.read(no), ({ number }) => {
        // Frames of another instance do not belong into this file.
        if (number.instanceId !== folder.instanceId) return
        segment.addUnsent(number.partition, number.counter)
        frames += 1
      })
      segments.push(segment)
      // Usually the last write was interrupted. Its requests were never answered.
      if (skipped > 0)
        this.#notify({
          kind: 'damaged',
          instanceId: folder.instanceId,
          frames: 0,
          bytes: skipped,
        })
    }
    this.#unread = undefined
    this.#adopted.push({
      folder,
      segments,
      adoptedAtMs: this.#options.clock.monotonicMs(),
      isKnown: false,
      lastSeqs: undefined,
      lastSeqsAtMs: 0,
    })
    this.#notify({ kind: 'adopted', instanceId: folder.instanceId, frames })
  }

  async #confirm(): Promise<void> {
    const { own, source, clock } = this.#options
    // Copied, because another log may be adopted meanwhile.
    const adopted = [...this.#adopted]
    if (own.segments.length === 0 && adopted.length === 0) return
    const readAtMs = clock.monotonicMs()
    const lastSeqs = this.#isOverdue ? await source.lastSeqs() : undefined
    const instanceIds = [own, ...adopted].map(({ folder }) => folder.instanceId)
    const look: Look = { state: await source.read(instanceIds), lastSeqs, readAtMs }
    this.#isOverdue = false
    for (const segment of [...own.segments]) {
      if (this.#isDone(own.folder, segment, look)) await own.remove(segment)
    }
    for (const log of adopted) await this.#finish(log, look)
  }

  async #finish(log: AdoptedWal, look: Look): Promise<void> {
    const { folder, segments } = log
    const { state, readAtMs } = look
    for (const segment of [...segments]) {
      // mutant: remove-adopted-segment
      if (!this.#isDone(folder, segment, look)) continue
      await folder.removeSegment(segment.no)
      segments.splice(segments.indexOf(segment), 1)
    }
    // mutant: settle-dead-instance
    log.isKnown = true
    if (segments.length > 0) return
    // A process may have published frames that it could not write to its log, so its last frames
    // are waited for.
    if (readAtMs < log.adoptedAtMs + quietMs) return
    if (log.lastSeqs === undefined || log.lastSeqsAtMs + lastSeqsAgeMsMax < readAtMs) {
      log.lastSeqs = lower(log.lastSeqs, await this.#options.source.lastSeqs())
      log.lastSeqsAtMs = readAtMs
      return
    }
    for (const [partition, seq] of log.lastSeqs) {
      if ((state.committedSeqs.get(partition) ?? 0) < seq) return
    }
    await this.#options.source.settleInstance(folder.instanceId)
    await folder.remove()
    this.#adopted.splice(this.#adopted.indexOf(log), 1)
    this.#notify({ kind: 'settled', instanceId: folder.instanceId })
  }

  /** Whether all frames are confirmed and the segment is closed. */
  #isDone(folder: WalFolder, segment: WalSegment, { state, lastSeqs, readAtMs }: Look): boolean {
    const digestedOf = digestedCounters(state.digested, folder.instanceId)
    if (segment.confirm(digestedOf)) return segment.isClosed
    const frames = segment.findLost(state.committedSeqs, lastSeqs, digestedOf, readAtMs)
    if (frames > 0) {
      this.framesForgotten += frames
      this.#notify({ kind: 'forgotten', instanceId: folder.instanceId, frames })
    }
    this.#isOverdue ||= segment.isOverdue(digestedOf, readAtMs)
    return false
  }

  #notify(notification: WalNotification): void {
    this.#options.onNotification(notification)
  }
}

/**
 * The lower of two sequences by partition: frames that came later are not waited for, nor frames
 * that the bus has lost.
 */
function lower(
  before: ReadonlyMap<number, number> | undefined,
  now: ReadonlyMap<number, number>,
): ReadonlyMap<number, number> {
  if (before === undefined) return now
  return new Map([...now].map(([key, seq]) => [key, Math.min(seq, before.get(key) ?? seq)]))
}

function duty(everyMs: number, run: () => Promise<void>): Duty {
  return { everyMs, run, dueAtMs: Number.NEGATIVE_INFINITY, running: undefined }
}
