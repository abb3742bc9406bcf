/**
 * The ids that a partition has taken in: which record is a copy of an earlier one (design: exactly once). It holds
 * pairs of an id's fingerprint and the second in which it was received; a record is a duplicate if its id is held with a
 * second that is less than the window away, before or after.
 *
 * What it holds depends on the set of all pairs ever entered and on nothing else, least of all on their order, so that a
 * window rebuilt from stored rows answers like the one that was lost:
 *
 *   newest   the latest second of all pairs
 *   floor    the later of: newest less the window and the lateness that is waited for, and the second behind the newest
 *            pairs that are one too many
 *   held     every pair from the floor on
 *
 * The floor only ever rises. A pair below it is dead: its slot is skipped, taken by a later pair, or cleared when its
 * segment is made anew. Segments are small so that none of this stops the process for long, and grow by themselves so
 * that a small installation pays for what it has.
 */
import assert from 'node:assert'
import { IdFingerprint } from '#platform/id-fingerprint.ts'
import { dedupIdsPerPartitionMax, dedupWindowMs } from '#schemas/limits.ts'
import { IdSegment } from './id-segment.ts'
import { SecondCounts } from './second-counts.ts'

/** Records may come to the log this much after later ones and are still decided from the window alone. */
export const latenessSeconds = 3_600

const segmentCount = 256

export interface IdWindowOptions {
  readonly windowMs?: number
  readonly idsMax?: number
}

/** Times of receipt are kept, and compared, by the second; a clock that is out of its mind is as far as 32 bits go. */
export function secondOf(receivedAtMs: number): number {
  return Math.min(Math.max(1, Math.floor(receivedAtMs / 1000)), 0xffff_ffff)
}

/** Whether records of one id that were received in these seconds are copies of one another. */
export function repeats(secondA: number, secondB: number, windowMs = dedupWindowMs): boolean {
  return Math.abs(secondA - secondB) * 1000 < windowMs
}

export class IdWindow {
  readonly windowMs: number
  readonly idsMax: number
  /** Makes the fingerprints that `has` and `enter` take. */
  readonly fingerprinter: IdFingerprint
  readonly #segments: readonly IdSegment[]
  readonly #counts: SecondCounts
  /** Everything from `newest - keptSeconds` on is held, but for the bound. */
  readonly keptSeconds: number
  /** The largest difference between two seconds of which one repeats the other. */
  readonly #reachSeconds: number

  constructor(options: IdWindowOptions = {}) {
    this.windowMs = options.windowMs ?? dedupWindowMs
    this.idsMax = options.idsMax ?? dedupIdsPerPartitionMax
    assert(this.idsMax > 0)
    this.fingerprinter = new IdFingerprint()
    this.#segments = Array.from({ length: segmentCount }, () => new IdSegment())
    this.#reachSeconds = Math.ceil(this.windowMs / 1000) - 1
    this.keptSeconds = this.#reachSeconds + latenessSeconds
    this.#counts = new SecondCounts(this.keptSeconds)
  }

  /** Ids held. */
  get size(): number {
    return this.#counts.total
  }

  get byteLength(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.byteLength, 0)
  }

  /** The first second that is held. */
  get floorSecond(): number {
    return this.#counts.floor
  }

  /** How far back from its newest id the window decides: less than wanted once `idsMax` was reached. */
  get lengthSeconds(): number {
    return Math.min(this.windowMs / 1000, this.#counts.newest - this.#counts.floor)
  }

  /** Whether a record of that second may repeat one that is no longer held. */
  isLate(second: number): boolean {
    return second < this.#counts.newest - latenessSeconds
  }

  /** Whether the id is held with a second that makes a record of this second its copy. */
  has(a: number, b: number, c: number, second: number): boolean {
    const reach = this.#reachSeconds
    const first = Math.max(this.#counts.floor, second - reach)
    return this.#segments[a >>> 24]!.has(a, b, c, first, second + reach)
  }

  enter(a: number, b: number, c: number, second: number): void {
    assert(0 < second && second <= 0xffff_ffff)
    if (second < this.#counts.floor) return
    if (!this.#segments[a >>> 24]!.add(a, b, c, second, this.#counts.floor)) return
    this.#counts.add(second)
    while (this.#counts.total > this.idsMax) this.#counts.dropOldest()
  }
}
