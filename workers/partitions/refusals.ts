/**
 * Counts the ranges that the stores of a partition refused, and decides what to do about them. No
 * I/O.
 *
 *   refused twice in a row    the stores are probed (probe-stores.ts); while they refuse the probe,
 *                             the range is only retried
 *   refused once more         the records are at fault: the range is undone, and its frames are
 *                             read again in rehearsed ranges
 *   refused though rehearsed  the next ranges are half as large; a single frame is given up
 *   all records set aside     a pause that doubles with every such range in a row, until a range is
 *                             stored normally
 */
import type { GivenUpFrame, RangeInHand } from './range-in-hand.ts'

/** A refusal caused by a race between two commits is not repeated this often in a row. */
const refusalsMax = 3
/**
 * Every range is rehearsed for this long after a refusal: more such records are likely to come, and
 * a rehearsal finds them before the plan.
 */
const rehearsalMs = 3_600_000
/**
 * A broken store blocks its partition for at most this long; after that, refused records become
 * dead letters.
 */
export const storeFaultMsMax = 3_600_000
const pauseMsMin = 500
/** Valid records wait at most this long after a frame that was set aside. */
export const refusedPauseMsMax = 30_000

export class Refusals {
  /** Most frames of one range. Lower while ranges are refused whose rehearsal succeeded. */
  framesMax = Number.POSITIVE_INFINITY
  /**
   * A frame that was refused alone although its rehearsal succeeded: all of its records are set
   * aside.
   */
  givenUp: GivenUpFrame | undefined
  /** Monotonic time since which a store refuses every record. */
  storeFaultSinceMs: number | undefined
  /** Consecutive refusals of the planned range. */
  #inARow = 0
  #lastDetail = ''
  /** The stores accepted the probe after the planned range was refused. */
  #isStoreSound = false
  /** Monotonic time. */
  #rehearsedUntilMs = 0
  #setAsideInARow = 0

  get inARow(): number {
    return this.#inARow
  }

  /** Whether one more refusal leads to an undo. */
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

  /** Returns whether the partition has waited long enough for the store. */
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

  /** Called when no range is planned any more. */
  noteUndone(): void {
    this.#inARow = 0
    this.#isStoreSound = false
  }

  /** Returns the pause before the next range, in milliseconds. */
  noteCommit(range: RangeInHand): number {
    this.noteUndone()
    // Frames of a former generation are read again, and their commit stores nothing, so it is no
    // evidence that the store works.
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
