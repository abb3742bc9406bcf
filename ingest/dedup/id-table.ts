/**
 * Fingerprints of 96 bits in a typed array with open addressing: 12 bytes a slot, at most half of
 * the slots used.
 */
import assert from 'node:assert'

const wordsPerSlot = 3
const slotsPerId = 2
/** Bytes per id in a full table. */
export const bytesPerId = slotsPerId * wordsPerSlot * Uint32Array.BYTES_PER_ELEMENT

export class IdTable {
  readonly idsMax: number
  readonly #words: Uint32Array
  readonly #slotCount: number
  #count = 0

  constructor(idsMax: number) {
    assert(0 < idsMax)
    this.idsMax = idsMax
    this.#slotCount = idsMax * slotsPerId
    this.#words = new Uint32Array(this.#slotCount * wordsPerSlot)
  }

  get count(): number {
    return this.#count
  }

  get byteLength(): number {
    return this.#words.byteLength
  }

  /** @param a must not be 0. */
  has(a: number, b: number, c: number): boolean {
    return this.#words[this.#find(a, b, c)] !== 0
  }

  add(a: number, b: number, c: number): void {
    const at = this.#find(a, b, c)
    if (this.#words[at] !== 0) return
    assert(this.#count < this.idsMax)
    this.#words[at] = a
    this.#words[at + 1] = b
    this.#words[at + 2] = c
    this.#count += 1
  }

  /** Slot of the fingerprint, or the free slot where it belongs. */
  #find(a: number, b: number, c: number): number {
    const words = this.#words
    let at = Math.floor((b * this.#slotCount) / 0x1_0000_0000) * wordsPerSlot
    while (true) {
      const first = words[at]!
      if (first === 0) return at
      if (first === a && words[at + 1] === b && words[at + 2] === c) return at
      at += wordsPerSlot
      if (at === words.length) at = 0
    }
  }
}
