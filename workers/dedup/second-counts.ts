/**
 * Number of ids that an `IdWindow` holds by time, in buckets of a few seconds. It determines where
 * the window begins, by its length and by its bound. The floor is always the first second of a
 * bucket and only rises.
 */
const secondsPerBucket = 4

export class SecondCounts {
  /** The latest second added. */
  newest = 0
  /** Number of ids from the floor on. */
  total = 0
  #floorBucket = 0
  readonly #keptSeconds: number
  /** Ring buffer of the counts, from the bucket of the floor to the newest one. */
  readonly #counts: Uint32Array

  /** Keeps at least the seconds from `newest - keptSeconds` on. */
  constructor(keptSeconds: number) {
    this.#keptSeconds = keptSeconds
    this.#counts = new Uint32Array(Math.ceil(keptSeconds / secondsPerBucket) + 2)
  }

  get floor(): number {
    return this.#floorBucket * secondsPerBucket
  }

  /** A second at or above the floor. */
  add(second: number): void {
    if (second > this.newest) {
      this.newest = second
      this.#raiseFloor(Math.floor((second - this.#keptSeconds) / secondsPerBucket))
    }
    const bucket = Math.floor(second / secondsPerBucket)
    this.#counts[bucket % this.#counts.length]! += 1
    this.total += 1
  }

  /** Raises the floor above the next bucket that is not empty. */
  dropOldest(): void {
    const totalBefore = this.total
    while (this.total === totalBefore) this.#raiseFloor(this.#floorBucket + 1)
  }

  #raiseFloor(bucket: number): void {
    const steps = Math.min(bucket - this.#floorBucket, this.#counts.length)
    for (let step = 0; step < steps; step += 1) {
      const at = (this.#floorBucket + step) % this.#counts.length
      this.total -= this.#counts[at]!
      this.#counts[at] = 0
    }
    this.#floorBucket = Math.max(this.#floorBucket, bucket)
  }
}
