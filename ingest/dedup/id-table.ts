/** Fingerprints of 96 bits in one typed array with open addressing: 12 bytes a slot, at most every second one taken. */
import assert from 'node:assert'
import type { IdFingerprint } from './id-fingerprint.ts'

const wordsPerSlot = 3
const slotsPerId = 2
/** What an id costs in a full table. */
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

  has(id: IdFingerprint): boolean {
    return this.#words[this.#find(id)] !== 0
  }

  add(id: IdFingerprint): void {
    const at = this.#find(id)
    if (this.#words[at] !== 0) return
    assert(this.#count < this.idsMax)
    this.#words[at] = id.a
    this.#words[at + 1] = id.b
    this.#words[at + 2] = id.c
    this.#count += 1
  }

  /** Where the fingerprint stands, or the free slot where it would. */
  #find({ a, b, c }: IdFingerprint): number {
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
