/**
 * A body that arrives in pieces. It grows by doubling, so a body sent byte by byte costs no more than one
 * sent at once, and tells what it really occupies, so that all of them together can be bounded.
 */
import assert from 'node:assert'
import { KiB } from '#schemas/limits.ts'

export class BodyBuffer {
  #bytes: Buffer
  #length = 0

  constructor(bytesInitial = 16 * KiB) {
    assert(0 < bytesInitial)
    this.#bytes = Buffer.allocUnsafeSlow(bytesInitial)
  }

  /** Bytes of memory, used or not. */
  get capacity(): number {
    return this.#bytes.length
  }

  get length(): number {
    return this.#length
  }

  append(chunk: Uint8Array): void {
    const length = this.#length + chunk.length
    if (this.#bytes.length < length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length, this.#bytes.length * 2))
      this.#bytes.copy(grown, 0, 0, this.#length)
      this.#bytes = grown
    }
    this.#bytes.set(chunk, this.#length)
    this.#length = length
  }

  view(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }
}
