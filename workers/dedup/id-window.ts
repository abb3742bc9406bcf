/**
 * The ids that a partition has accepted. They decide whether a record is a copy of an earlier one.
 * The window holds pairs of an id's fingerprint and the second of receipt. A record is a duplicate
 * if its id is held with a second that is less than the window away, before or after.
 *
 * The content depends only on the set of all pairs ever added, not on their order, so a window
 * rebuilt from stored rows gives the same answers as the one that was lost:
 *
 *   newest   the latest second of all pairs
 *   floor    the later of: newest minus the window and the accepted lateness, and the second
 *            after the pairs that exceed the bound
 *   held     every pair from the floor on
 *
 * The floor only rises. A pair below it is expired: its slot is skipped, reused by a later pair, or
 * cleared when its segment is rebuilt. Segments are small so that no rebuild blocks the process for
 * long, and grow one by one so that a small installation needs little memory.
 */
import assert from 'node:assert'
import { IdFingerprint } from '#platform/hash/id-fingerprint.ts'
import { dedupIdsPerPartitionMax, dedupWindowMs } from '#schemas/limits.ts'
import { IdSegment } from './id-segment.ts'
import { SecondCounts } from './second-counts.ts'

/**
 * A record may enter the stream this much later than newer ones and is still decided from the
 * window alone.
 */
export const latenessSeconds = 3_600

const segmentCount = 256

export interface IdWindowOptions {
  readonly windowMs?: number
  readonly idsMax?: number
}

/** Times of receipt are kept and compared in seconds, clamped to 1 and 2^32 - 1. */
export function secondOf(receivedAtMs: number): number {
  return Math.min(Math.max(1, Math.floor(receivedAtMs / 1000)), 0xffff_ffff)
}

/** Whether records with one id that were received in these seconds are copies of each other. */
export function repeats(secondA: number, secondB: number, windowMs = dedupWindowMs): boolean {
  return Math.abs(secondA - secondB) * 1000 < windowMs
}

export class IdWindow {
  readonly windowMs: number
  readonly idsMax: number
  /** Computes the fingerprints for `has` and `enter`. */
  readonly fingerprinter: IdFingerprint
  readonly #segments: readonly IdSegment[]
  readonly #counts: SecondCounts
  /** Every pair from `newest - keptSeconds` on is held unless `idsMax` is exceeded. */
  readonly keptSeconds: number
  /** The largest difference between the seconds of two copies of one record. */
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

  /** Number of ids held. */
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

  /**
   * Length of the time before the newest id that the window decides; shorter than configured once
   * `idsMax` is reached.
   */
  get lengthSeconds(): number {
    return Math.min(this.windowMs / 1000, this.#counts.newest - this.#counts.floor)
  }

  /** Whether a record of that second may be a copy of a record that is no longer held. */
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
