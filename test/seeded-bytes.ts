/** Random bytes that a seed brings back (xorshift32). */
export class SeededBytes {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 1
  }

  below(end: number): number {
    return this.#next() % end
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)))
  }

  /** A copy with so many bytes changed. */
  flipped(bytes: Buffer, count: number): Buffer {
    const copy = Buffer.from(bytes)
    for (let change = 0; change < count; change += 1) {
      copy[this.below(copy.length)] = this.below(256)
    }
    return copy
  }

  #next(): number {
    let state = this.#state
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    this.#state = state
    return state >>> 0
  }
}
