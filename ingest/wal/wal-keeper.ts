/**
 * Looks after the logs of this process and of dead ones: learns what workers have committed, lets go of files that are
 * no longer needed, has frames sent again that the broker has forgotten, takes over what a dead process has left,
 * and settles that process once nothing of it can come any more. It moves only when it is ticked.
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
  readonly onNotice: (notification: WalNotification) => void
  readonly onError: (error: unknown) => void
}

export type WalNotification =
  /** The log of a dead process was taken over. */
  | { readonly kind: 'adopted'; readonly instanceId: string; readonly frames: number }
  /** All of it is committed, and its leases are settled. */
  | { readonly kind: 'settled'; readonly instanceId: string }
  /** A full log has let go of frames that only the broker has now. */
  | { readonly kind: 'dropped'; readonly instanceId: string; readonly bytes: number }
  /** The broker had acknowledged frames that it no longer has; they are sent again. */
  | { readonly kind: 'forgotten'; readonly instanceId: string; readonly frames: number }
  /** A file of the log lacks frames, or holds bytes that are none: the disk has lost or changed them. */
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
  /** It is known what of it was committed: the rest is sent. */
  isKnown: boolean
  /** Where the bus ended, by partition, when nothing of the process could be on its way any more. */
  lastSeqs: ReadonlyMap<number, number> | undefined
  lastSeqsAtMs: number
}

/** Something that is done again and again, one at a time, whatever becomes of the others. */
interface Duty {
  readonly everyMs: number
  readonly run: () => Promise<void>
  dueAtMs: number
  running: Promise<void> | undefined
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

export class WalKeeper {
  readonly #options: WalKeeperOptions
  readonly #sender: WalSender
  readonly #adopted: AdoptedWal[] = []
  readonly #duties: readonly Duty[]
  /** Taken over, and not read yet. */
  #unread: WalFolder | undefined
  #isClosed = false
  /** At the last look something that was acknowledged long ago was not committed. */
  #isOverdue = false
  framesForgotten = 0

  constructor(options: WalKeeperOptions) {
    this.#options = options
    const { taker, onError } = options
    this.#sender = new WalSender({
      taker,
      onError,
      onMissing: (folder, frames) =>
        this.#notification({ kind: 'damaged', instanceId: folder.instanceId, frames, bytes: 0 }),
    })
    // A store that does not answer must not make this process look dead.
    this.#duties = [
      duty(beatEveryMs, () => this.#beat()),
      duty(adoptEveryMs, () => this.#adopt()),
      duty(readEveryMs, () => this.#confirm()),
    ]
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

  /** What was adopted stays where it is: the next process adopts it with this one's. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#duties.map(({ running }) => running))
    for (const { folder } of this.#adopted) await folder.close()
  }

  /** Of its own folder: whoever has it is known to have what it took over. */
  #beat(): Promise<void> {
    return this.#options.own.folder.beat()
  }

  /** One at a time; whoever has left more than one is found again in a while. */
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
        // A file can hold no frames but those of its process.
        if (number.instanceId !== folder.instanceId) return
        segment.addUnsent(number.partition, number.counter)
        frames += 1
      })
      segments.push(segment)
      // The end of the last write is usually missing. Nobody was answered for it.
      if (skipped > 0)
        this.#notification({
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
    this.#notification({ kind: 'adopted', instanceId: folder.instanceId, frames })
  }

  async #confirm(): Promise<void> {
    const { own, source, clock } = this.#options
    // Another one may be adopted meanwhile.
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
      if (!this.#isDone(folder, segment, look)) continue
      await folder.removeSegment(segment.no)
      segments.splice(segments.indexOf(segment), 1)
    }
    log.isKnown = true
    if (segments.length > 0) return
    // Beside what its log holds, a process may have published what it could not log.
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
    this.#notification({ kind: 'settled', instanceId: folder.instanceId })
  }

  /** Confirmed, and nothing will be appended. */
  #isDone(folder: WalFolder, segment: WalSegment, { state, lastSeqs, readAtMs }: Look): boolean {
    const digestedOf = digestedCounters(state.digested, folder.instanceId)
    if (segment.confirm(digestedOf)) return segment.isClosed
    const frames = segment.findForgotten(state.committedSeqs, lastSeqs, digestedOf, readAtMs)
    if (frames > 0) {
      this.framesForgotten += frames
      this.#notification({ kind: 'forgotten', instanceId: folder.instanceId, frames })
    }
    this.#isOverdue ||= segment.isOverdue(digestedOf, readAtMs)
    return false
  }

  #notification(notification: WalNotification): void {
    this.#options.onNotice(notification)
  }
}

/** What has come since is not waited for; where the bus ends earlier now, there is no more to wait for than that. */
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
