/**
 * A body that arrives in chunks. The buffer at least doubles when it is full, so a body that is
 * sent byte by byte costs no more than one sent at once. Its capacity is reported, so that the
 * memory of all bodies can be bounded.
 */
import type { BodyBuffers } from './body-buffers.ts'

export class BodyBuffer {
  readonly #buffers: BodyBuffers
  #bytes: Buffer
  #length = 0

  constructor(buffers: BodyBuffers) {
    this.#buffers = buffers
    this.#bytes = buffers.take()
  }

  /** Allocated bytes, used or not. */
  get capacity(): number {
    return this.#bytes.length
  }

  append(chunk: Uint8Array): void {
    const length = this.#length + chunk.length
    if (this.#bytes.length < length) {
      const grown = this.#buffers.take(length, this.#bytes.length)
      this.#bytes.copy(grown, 0, 0, this.#length)
      this.#buffers.giveBack(this.#bytes)
      this.#bytes = grown
    }
    this.#bytes.set(chunk, this.#length)
    this.#length = length
  }

  view(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Returns the memory. Neither the buffer nor a view of it may be read afterwards. */
  release(): void {
    this.#buffers.giveBack(this.#bytes)
  }
}
