/**
 * What a partition remembers of ranges that its stores refused, and what follows from it. No I/O.
 *
 *   refused twice in a row    the stores are probed (probe-stores.ts); while they refuse the probe, the range is only retried
 *   refused once more         the records are at fault: the range is undone, and its frames come again in rehearsed ranges
 *   refused though rehearsed  the next ranges are half as large, and a single frame is given up
 *   all records set aside     a pause that grows with every such range in a row, until a range is stored normally
 */
import type { GivenUpFrame, RangeInHand } from './range-in-hand.ts'

/** A refusal that comes from a race between two commits does not come so often in a row. */
const refusalsMax = 3
/**
 * After a refusal every range is rehearsed for so long: more of the kind is likely to come, and is
 * then found before a plan.
 */
const rehearsalMs = 3_600_000
/**
 * A broken store blocks its partition for so long at the most; after that, refused records are set
 * aside.
 */
export const storeFaultMsMax = 3_600_000
const pauseMsMin = 500
/** Good records wait for no longer than this behind a frame that was set aside. */
export const refusedPauseMsMax = 30_000

export class Refusals {
  /** Frames of one range: fewer while ranges are refused that passed their rehearsal. */
  framesMax = Number.POSITIVE_INFINITY
  /** A frame that was refused alone, though it passed: all of its records are set aside. */
  givenUp: GivenUpFrame | undefined
  /** Monotonic time since which a store refuses every record. */
  storeFaultSinceMs: number | undefined
  /** Of the planned range, one after another. */
  #inARow = 0
  #lastDetail = ''
  /** The stores took the probe after the planned range was refused. */
  #isStoreSound = false
  /** Monotonic. */
  #rehearsedUntilMs = 0
  #setAsideInARow = 0

  get inARow(): number {
    return this.#inARow
  }

  /** One refusal is left before the range is undone. */
  get isProbeDue(): boolean {
    return this.#inARow >= refusalsMax - 1 && !this.#isStoreSound
  }

  get areTooMany(): boolean {
    return this.#inARow >= refusalsMax
  }

  isRehearsing(nowMs: number): boolean {
    return nowMs < this.#rehearsedUntilMs
  }

  note(detail: string): void {
    this.#inARow += 1
    this.#lastDetail = detail
  }

  noteProbeTaken(): void {
    this.#isStoreSound = true
    this.storeFaultSinceMs = undefined
  }

  /** Whether the partition has waited long enough for the store. */
  noteProbeRefused(nowMs: number): boolean {
    this.storeFaultSinceMs ??= nowMs
    const isOver = nowMs - this.storeFaultSinceMs >= storeFaultMsMax
    if (isOver) this.#isStoreSound = true
    return isOver
  }

  noteUndo(range: RangeInHand, nowMs: number): void {
    this.#rehearsedUntilMs = nowMs + rehearsalMs
    if (!range.wasRehearsed) return
    this.framesMax = Math.ceil(range.messages.length / 2)
    const [first, second] = range.messages
    if (first !== undefined && second === undefined) {
      this.givenUp = { streamSeq: first.streamSeq, detail: this.#lastDetail }
    }
  }

  /** The planned range is gone. */
  noteUndone(): void {
    this.#inARow = 0
    this.#isStoreSound = false
  }

  /** The pause before the next range, in milliseconds. */
  noteCommit(range: RangeInHand): number {
    this.noteUndone()
    // Frames of a former generation come again, and their commit stores nothing: it says nothing of
    // the store.
    if (!range.hasFresh) return 0
    this.givenUp = undefined
    if (range.isAllRefused) {
      this.#setAsideInARow += 1
      return Math.min(refusedPauseMsMax, pauseMsMin * 2 ** (this.#setAsideInARow - 1))
    }
    this.framesMax = Number.POSITIVE_INFINITY
    this.#setAsideInARow = 0
    this.storeFaultSinceMs = undefined
    return 0
  }
}
