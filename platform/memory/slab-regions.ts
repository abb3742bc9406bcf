/**
 * Which parts of a slab of memory are in use. They are handed out one after another, and again from
 * the start when none is in use.
 */
export class SlabRegions {
  readonly #byteLength: number
  /** Offsets between the regions since the slab was empty. The next region begins at the last. */
  readonly #bounds: number[] = [0]
  readonly #isUsed: boolean[] = []
  #usedCount = 0
  #usedBytes = 0

  /** @param byteLength size of the slab. */
  constructor(byteLength: number) {
    this.#byteLength = byteLength
  }

  get isEmpty(): boolean {
    return this.#usedCount === 0
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  /** Returns where a region of `byteLength`, at least 1, begins; undefined if there is no room. */
  add(byteLength: number): number | undefined {
    const start = this.#bounds.at(-1)!
    if (start + byteLength > this.#byteLength) return undefined
    this.#bounds.push(start + byteLength)
    this.#isUsed.push(true)
    this.#usedCount += 1
    this.#usedBytes += byteLength
    return start
  }

  /** Returns false if `offset` is in no region that is in use. */
  remove(offset: number): boolean {
    const at = this.#regionAround(offset)
    if (this.#isUsed[at] !== true || offset >= this.#bounds[at + 1]!) return false
    this.#isUsed[at] = false
    this.#usedCount -= 1
    this.#usedBytes -= this.#bounds[at + 1]! - this.#bounds[at]!
    if (this.#usedCount === 0) {
      this.#bounds.length = 1
      this.#isUsed.length = 0
    }
    return true
  }

  /** Returns the index of the last region that begins at or before `offset`. */
  #regionAround(offset: number): number {
    let [low, high] = [0, this.#isUsed.length]
    while (low + 1 < high) {
      const middle = (low + high) >>> 1
      if (this.#bounds[middle]! <= offset) low = middle
      else high = middle
    }
    return low
  }
}
