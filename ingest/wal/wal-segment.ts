/**
 * The state of one segment file, without its frames: which counters it holds by partition, how many
 * of them the broker has yet to acknowledge, and which must be sent from the file. A frame is
 *
 *   waiting ──acknowledged──▶ settled ──committed by a worker──▶ confirmed: the file may be removed
 *      ▲                        │
 *      └── lost by the broker: sent again from the file
 */
import assert from 'node:assert'
import { CounterSet } from './counter-set.ts'
import type { DigestedFrames } from './delivery-source.ts'

/** A frame in the write-ahead log that the broker has not acknowledged. */
export interface WalPlace {
  /** Must be called at most once for each frame. */
  acknowledge(streamSeq: number, nowMs: number): void
  /** Removes the unacknowledged frame from memory; it will be sent from the file. */
  leaveMemory(): void
}

interface Part {
  /** Counters in the file. Frames that could not be written are not included. */
  readonly held: CounterSet
  waiting: number
  readonly toSend: CounterSet
  ackedSeqMax: number
  ackedAtMs: number
}

/** Frames acknowledged more recently than this may be missing in the state that was read. */
const settleMs = 2_000
/**
 * After this time a worker has usually committed the frame. Otherwise the bus is asked whether it
 * still has it.
 */
const overdueMs = 5_000

export class WalSegment {
  readonly no: number
  readonly openedAtMs: number
  bytes = 0
  /** No frame is appended any more. */
  isClosed = false
  /** Rounds in which lost frames were found. Part of the next message ids, so that they are new. */
  lostRounds = 0
  readonly #parts = new Map<number, Part>()

  constructor(no: number, openedAtMs: number) {
    this.no = no
    this.openedAtMs = openedAtMs
  }

  get isEmpty(): boolean {
    return this.#parts.size === 0
  }

  /** Whether the broker has acknowledged every frame. */
  get isAcknowledged(): boolean {
    for (const part of this.#parts.values()) if (part.waiting > 0) return false
    return true
  }

  get hasFramesToSend(): boolean {
    for (const part of this.#parts.values()) if (!part.toSend.isEmpty) return true
    return false
  }

  add(partition: number, counter: number): WalPlace {
    const part = this.#partOf(partition, counter)
    part.waiting += 1
    return {
      acknowledge: (streamSeq, nowMs) => {
        part.waiting -= 1
        assert(0 <= part.waiting)
        part.ackedSeqMax = Math.max(part.ackedSeqMax, streamSeq)
        part.ackedAtMs = nowMs
      },
      leaveMemory: () => part.toSend.add(counter),
    }
  }

  /** Adds a frame that was found in the file of a dead process. */
  addUnsent(partition: number, counter: number): void {
    const part = this.#partOf(partition, counter)
    if (part.toSend.has(counter)) return
    // mutant: add-unsent-frame
    part.waiting += 1
    part.toSend.add(counter)
  }

  /**
   * Undefined when the frame is not to be sent from the file. Otherwise it counts as in flight
   * until its place reports the result.
   */
  takeToSend(partition: number, counter: number): WalPlace | undefined {
    const part = this.#parts.get(partition)
    if (part === undefined || !part.toSend.has(counter)) return undefined
    part.toSend.remove(counter)
    part.waiting -= 1
    return this.add(partition, counter)
  }

  /**
   * Drops frames that are missing in the file and therefore cannot be sent. Returns their number.
   */
  giveUpMissing(isInFile: (partition: number, counter: number) => boolean): number {
    let count = 0
    for (const [partition, part] of this.#parts) {
      for (const [from, to] of [...part.toSend.ranges()]) {
        for (let counter = from; counter < to; counter += 1) {
          if (isInFile(partition, counter)) continue
          part.toSend.remove(counter)
          part.held.remove(counter)
          part.waiting -= 1
          count += 1
        }
      }
    }
    return count
  }

  /** Whether workers have committed every frame. Committed frames are not sent any more. */
  confirm(digestedOf: (partition: number) => CounterSet): boolean {
    let isConfirmed = true
    for (const [partition, part] of this.#parts) {
      const digested = digestedOf(partition)
      const before = part.toSend.size
      part.toSend.removeAll(digested)
      part.waiting -= before - part.toSend.size
      // mutant: confirm-segment
      if (!digested.coversAll(part.held)) isConfirmed = false
    }
    return isConfirmed
  }

  /**
   * Whether a frame that was acknowledged long ago is not committed: the broker may have lost it.
   */
  isOverdue(digestedOf: (partition: number) => CounterSet, readAtMs: number): boolean {
    for (const [partition, part] of this.#parts) {
      if (part.waiting > 0 || readAtMs < part.ackedAtMs + overdueMs) continue
      if (!digestedOf(partition).coversAll(part.held)) return true
    }
    return false
  }

  /**
   * Marks frames for sending that the broker has acknowledged and lost: they were not digested,
   * although their partition was committed beyond them or the bus ends before them. Returns their
   * number.
   *
   * @param lastSeqs by partition, read before `committedSeqs` and the digested frames, because
   * frames are committed before they are purged. Undefined when not read.
   */
  findLost(
    committedSeqs: ReadonlyMap<number, number>,
    lastSeqs: ReadonlyMap<number, number> | undefined,
    digestedOf: (partition: number) => CounterSet,
    readAtMs: number,
  ): number {
    let count = 0
    for (const [partition, part] of this.#parts) {
      if (part.waiting > 0 || readAtMs < part.ackedAtMs + settleMs) continue
      const committed = committedSeqs.get(partition) ?? 0
      const last = lastSeqs?.get(partition) ?? Number.POSITIVE_INFINITY
      // mutant: find-lost-frames
      if (committed < part.ackedSeqMax && part.ackedSeqMax <= last) continue
      const missing = part.held.copy()
      missing.removeAll(digestedOf(partition))
      for (const [from, to] of missing.ranges()) part.toSend.add(from, to)
      part.waiting += missing.size
      count += missing.size
    }
    if (count > 0) this.lostRounds += 1
    return count
  }

  #partOf(partition: number, counter: number): Part {
    let part = this.#parts.get(partition)
    if (part === undefined) {
      part = {
        held: new CounterSet(),
        waiting: 0,
        toSend: new CounterSet(),
        ackedSeqMax: 0,
        ackedAtMs: Number.NEGATIVE_INFINITY,
      }
      this.#parts.set(partition, part)
    }
    part.held.add(counter)
    return part
  }
}

/** Counters of one instance that workers have committed, by partition. */
export function digestedCounters(
  digested: readonly DigestedFrames[],
  instanceId: string,
): (partition: number) => CounterSet {
  const sets = new Map<number, CounterSet>()
  for (const frames of digested) {
    if (frames.instanceId !== instanceId) continue
    const set = new CounterSet(frames.ahead)
    set.add(0, frames.contiguous)
    sets.set(frames.partition, set)
  }
  return (partition) => sets.get(partition) ?? none
}

const none = new CounterSet()
