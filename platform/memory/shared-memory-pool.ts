/**
 * Memory for large messages, used again and again. Threads read it without a copy, and V8 has
 * nothing to collect: of a buffer for each message it would learn only by full collections, which
 * it starts after every 64 MB and which mark the whole heap.
 *
 * V8 counts no shared memory, so it starts no collection when much of it is left, and each thread
 * that read it has to collect, too. So the pool drops none of it, and creates no more than a limit.
 */
import { KiB, MiB } from '#schemas/limits.ts'

/**
 * Eight sizes of buffers for each doubling: at most an eighth of a new one is unused, and a few
 * kinds serve all messages.
 */
const sizesPerDoubling = 8
const sizeStepMin = 4 * KiB
/** A message may lie in a buffer of an earlier load that has room for this many of it. */
const reuseFactorMax = 2
/** The full ranges of four partitions: one that is digested, and one that waits. */
const bytesMaxDefault = 256 * MiB

export class SharedMemoryPool {
  readonly #bytesMax: number
  #bytes = 0
  #freeBytes = 0
  /** By size. */
  readonly #free = new Map<number, SharedArrayBuffer[]>()
  /** The keys of `#free`, ascending. */
  #sizes: readonly number[] = []
  /** What was given back twice would be handed out twice. */
  readonly #inUse = new WeakSet<ArrayBufferLike>()
  /** A buffer that nobody gave back is collected some time, and another one may take its place. */
  readonly #collected = new FinalizationRegistry<number>((size) => {
    this.#bytes -= size
  })

  /** @param bytesMax of all buffers together. */
  constructor(bytesMax = bytesMaxDefault) {
    this.#bytesMax = bytesMax
  }

  /** Bytes of all buffers, in use or free. */
  get bytes(): number {
    return this.#bytes
  }

  /** Bytes that wait for their next use. */
  get freeBytes(): number {
    return this.#freeBytes
  }

  /** The content is that of an earlier use. Beyond the limit, the memory is not shared. */
  take(byteLength: number): Buffer {
    const size = sizeFor(byteLength)
    const buffer = this.#takeFree(size) ?? this.#create(size)
    if (buffer === undefined) return Buffer.allocUnsafeSlow(byteLength)
    this.#inUse.add(buffer)
    return Buffer.from(buffer, 0, byteLength)
  }

  /**
   * Takes the memory under `bytes` back, which nobody may read any more. Does nothing with memory
   * that is not the pool's or was given back before.
   */
  giveBack({ buffer }: Uint8Array): void {
    if (!this.#inUse.delete(buffer) || !(buffer instanceof SharedArrayBuffer)) return
    this.#free.get(buffer.byteLength)!.push(buffer)
    this.#freeBytes += buffer.byteLength
  }

  #takeFree(size: number): SharedArrayBuffer | undefined {
    for (const next of this.#sizes) {
      if (next < size) continue
      if (size * reuseFactorMax < next) break
      const buffer = this.#free.get(next)?.pop()
      if (buffer === undefined) continue
      this.#freeBytes -= next
      return buffer
    }
    return undefined
  }

  #create(size: number): SharedArrayBuffer | undefined {
    if (this.#bytesMax < this.#bytes + size) return undefined
    if (!this.#free.has(size)) {
      this.#free.set(size, [])
      this.#sizes = [...this.#free.keys()].sort((one, other) => one - other)
    }
    const buffer = new SharedArrayBuffer(size)
    this.#bytes += size
    this.#collected.register(buffer, size)
    return buffer
  }
}

function sizeFor(byteLength: number): number {
  const doubling = 2 ** Math.floor(Math.log2(Math.max(1, byteLength)))
  const step = Math.max(sizeStepMin, doubling / sizesPerDoubling)
  return Math.ceil(byteLength / step) * step
}
