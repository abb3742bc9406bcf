/** Buffers for messages, used again, because thousands a second would occupy the collector. */
const keptMax = 64
const roundTo = 4_096
/** Larger ones are rare and not kept. */
const keptBytesMax = 256 * 1024

export class MessageBuffers {
  readonly #free: Buffer[] = []

  /** A buffer of at least this size, with any content. */
  take(bytes: number): Buffer {
    const free = this.#free.pop()
    if (free !== undefined && free.length >= bytes) return free
    return Buffer.allocUnsafeSlow(Math.ceil(bytes / roundTo) * roundTo)
  }

  /** Nothing may read the buffer after this. */
  give(buffer: Buffer): void {
    if (this.#free.length < keptMax && buffer.length <= keptBytesMax) this.#free.push(buffer)
  }
}
