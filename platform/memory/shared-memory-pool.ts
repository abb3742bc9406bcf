/**
 * Memory for large messages, used again and again. Threads read it without a copy, and V8 has
 * nothing to collect: of a buffer for each message it would learn only by full collections, which
 * it starts after every 64 MB and which mark the whole heap.
 *
 * A message that nobody gives back is collected as usual.
 */
import { KiB, MiB } from '#schemas/limits.ts'

/**
 * Eight sizes of buffers for each doubling: at most an eighth of one is unused, and a few kinds
 * serve all messages.
 */
const sizesPerDoubling = 8
const sizeStepMin = 4 * KiB
/**
 * Buffers that wait for their next use. Beyond it, those of the size that was used longest ago are
 * left to the collector: after a change of the load, no message may need that size any more.
 */
const freeBytesMax = 64 * MiB

export class SharedMemoryPool {
  /** By size; the sizes that were used last come last. */
  readonly #free = new Map<number, SharedArrayBuffer[]>()
  #freeBytes = 0
  /** What was given back twice would be handed out twice. */
  readonly #inUse = new WeakSet<ArrayBufferLike>()

  /** Bytes that wait for their next use. */
  get freeBytes(): number {
    return this.#freeBytes
  }

  /** The content is that of an earlier use. */
  take(byteLength: number): Buffer<SharedArrayBuffer> {
    const size = sizeFor(byteLength)
    const buffer = this.#freeOf(size).pop()
    if (buffer !== undefined) this.#freeBytes -= size
    const taken = buffer ?? new SharedArrayBuffer(size)
    this.#inUse.add(taken)
    return Buffer.from(taken, 0, byteLength)
  }

  /**
   * Takes the memory under `bytes` back, which nobody may read any more. Does nothing with memory
   * that is not the pool's or was given back before.
   */
  giveBack({ buffer }: Uint8Array): void {
    if (!this.#inUse.delete(buffer) || !(buffer instanceof SharedArrayBuffer)) return
    this.#freeOf(buffer.byteLength).push(buffer)
    this.#freeBytes += buffer.byteLength
    while (this.#freeBytes > freeBytesMax) this.#forgetOldest()
  }

  /** Makes the size the last of `#free`. */
  #freeOf(size: number): SharedArrayBuffer[] {
    const buffers = this.#free.get(size) ?? []
    this.#free.delete(size)
    this.#free.set(size, buffers)
    return buffers
  }

  #forgetOldest(): void {
    for (const [size, buffers] of this.#free) {
      if (buffers.pop() === undefined) this.#free.delete(size)
      else {
        this.#freeBytes -= size
        return
      }
    }
  }
}

function sizeFor(byteLength: number): number {
  const doubling = 2 ** Math.floor(Math.log2(Math.max(1, byteLength)))
  const step = Math.max(sizeStepMin, doubling / sizesPerDoubling)
  return Math.ceil(byteLength / step) * step
}
