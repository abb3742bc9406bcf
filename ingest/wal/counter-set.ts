/** A set of frame counters, stored as ranges because counters come in long runs. */
import assert from 'node:assert'

export class CounterSet {
  /** `[from, to)` pairs, flattened, ascending, with a gap between any two. */
  readonly #bounds: number[]

  /** @param bounds `[from, to)` pairs, flattened and ascending. */
  constructor(bounds: readonly number[] = []) {
    assert(bounds.length % 2 === 0)
    this.#bounds = []
    for (let at = 0; at < bounds.length; at += 2) this.add(bounds[at]!, bounds[at + 1]!)
  }

  get isEmpty(): boolean {
    return this.#bounds.length === 0
  }

  /** Number of counters in the set. */
  get size(): number {
    let size = 0
    for (const [from, to] of this.ranges()) size += to - from
    return size
  }

  *ranges(): Generator<readonly [from: number, to: number]> {
    for (let at = 0; at < this.#bounds.length; at += 2) {
      yield [this.#bounds[at]!, this.#bounds[at + 1]!]
    }
  }

  has(counter: number): boolean {
    // An odd number of bounds at or below the counter means that it lies inside a range.
    return this.#boundsUpTo(counter) % 2 === 1
  }

  /** Whether the set contains all of `[from, to)`. */
  covers(from: number, to: number): boolean {
    if (to <= from) return true
    const below = this.#boundsUpTo(from)
    return below % 2 === 1 && to <= this.#bounds[below]!
  }

  coversAll(other: CounterSet): boolean {
    for (const [from, to] of other.ranges()) if (!this.covers(from, to)) return false
    return true
  }

  copy(): CounterSet {
    return new CounterSet(this.#bounds)
  }

  /** Adds `[from, to)`. */
  add(from: number, to: number = from + 1): void {
    if (to <= from) return
    const bounds = this.#bounds
    // Merges with ranges that touch it.
    let start = this.#boundsUpTo(from - 1)
    if (start % 2 === 1) start -= 1
    let end = this.#boundsUpTo(to)
    if (end % 2 === 1) end += 1
    const low = start < end ? Math.min(from, bounds[start]!) : from
    const high = start < end ? Math.max(to, bounds[end - 1]!) : to
    bounds.splice(start, end - start, low, high)
  }

  /** Removes `[from, to)`. */
  remove(from: number, to: number = from + 1): void {
    if (to <= from) return
    const bounds = this.#bounds
    const start = this.#boundsUpTo(from - 1)
    const end = this.#boundsUpTo(to - 1)
    const kept: number[] = []
    if (start % 2 === 1) kept.push(from)
    if (end % 2 === 1) kept.push(to)
    // A bound that equals the cut would leave an empty range.
    bounds.splice(start, end - start, ...kept)
    this.#dropEmpty(Math.max(0, start - 1))
  }

  removeAll(other: CounterSet): void {
    for (const [from, to] of other.ranges()) this.remove(from, to)
  }

  #dropEmpty(near: number): void {
    const bounds = this.#bounds
    for (let at = near - (near % 2); at < Math.min(bounds.length, near + 6); ) {
      if (bounds[at] === bounds[at + 1]) bounds.splice(at, 2)
      else at += 2
    }
  }

  /** Number of bounds that are at or below the counter. */
  #boundsUpTo(counter: number): number {
    let low = 0
    let high = this.#bounds.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#bounds[middle]! <= counter) low = middle + 1
      else high = middle
    }
    return low
  }
}
