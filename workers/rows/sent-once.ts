import { discardBuffer } from '#platform/memory/discard-buffer.ts'

/**
 * Remembers which rows were sent once, so that their memory can be given back when that attempt has
 * succeeded. Of rows that were sent again, an attempt that was given up may still be writing.
 */
export class SentOnce {
  readonly #attempts = new WeakMap<ArrayBufferLike, number>()

  /** To be called before each attempt. */
  note({ buffer }: Uint8Array): void {
    this.#attempts.set(buffer, (this.#attempts.get(buffer) ?? 0) + 1)
  }

  /**
   * Gives the memory back of rows that were sent once, successfully. They must not be used any
   * more; others stay for the collector.
   */
  release(rows: Uint8Array): void {
    const { buffer } = rows
    if (this.#attempts.get(buffer) !== 1 || !(buffer instanceof ArrayBuffer)) return
    this.#attempts.delete(buffer)
    discardBuffer(buffer)
  }
}
