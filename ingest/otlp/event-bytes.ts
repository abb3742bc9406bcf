import { eventBytesMax, KiB } from '#schemas/limits.ts'

const firstBytes = 64 * KiB

/** The events of a request, end to end in one growing buffer. */
export class EventBytes {
  #buffer = Buffer.alloc(0)
  #length = 0

  /** Range of the appended text; undefined when it exceeds the size of an event. */
  append(text: string): { readonly start: number; readonly end: number } | undefined {
    // A character takes at most three bytes in UTF-8, so most texts need not be measured.
    const bytesMax = text.length * 3
    if (eventBytesMax < bytesMax && eventBytesMax < Buffer.byteLength(text)) return undefined
    const start = this.#length
    this.#makeRoom(start + Math.min(bytesMax, eventBytesMax))
    this.#length += this.#buffer.write(text, start)
    return { start, end: this.#length }
  }

  whole(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  #makeRoom(length: number): void {
    if (length <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(length, this.#buffer.length * 2, firstBytes))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}
