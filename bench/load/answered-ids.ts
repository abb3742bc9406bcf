/**
 * The counters of a run whose requests were answered 200, one bit each: a million events need 125
 * KB.
 */
import assert from 'node:assert'
import { counterMax } from './event-ids.ts'

export class AnsweredIds {
  #bits: Uint8Array<ArrayBuffer>
  #count = 0

  constructor(bits: Uint8Array<ArrayBuffer> = new Uint8Array(1024)) {
    this.#bits = bits
    for (const byte of bits) this.#count += bitCount(byte)
  }

  get count(): number {
    return this.#count
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bits
  }

  has(counter: number): boolean {
    return ((this.#bits[counter >>> 3] ?? 0) & (1 << (counter & 7))) !== 0
  }

  add(counter: number): void {
    assert(0 <= counter && counter <= counterMax)
    const index = counter >>> 3
    if (index >= this.#bits.length) this.#grow(index + 1)
    const bit = 1 << (counter & 7)
    if ((this.#bits[index]! & bit) !== 0) return
    this.#bits[index] = this.#bits[index]! | bit
    this.#count += 1
  }

  addAll(others: AnsweredIds): void {
    for (const counter of others.counters()) this.add(counter)
  }

  *counters(): Generator<number> {
    for (let index = 0; index < this.#bits.length; index += 1) {
      const byte = this.#bits[index]!
      for (let bit = 0; byte >>> bit !== 0; bit += 1) {
        if (((byte >>> bit) & 1) === 1) yield index * 8 + bit
      }
    }
  }

  #grow(bytesWanted: number): void {
    const grown = new Uint8Array(Math.max(bytesWanted, this.#bits.length * 2))
    grown.set(this.#bits)
    this.#bits = grown
  }
}

function bitCount(byte: number): number {
  let count = 0
  for (let rest = byte; rest !== 0; rest &= rest - 1) count += 1
  return count
}
