/**
 * Memory for large messages, used again and again. Threads read it without a copy, and V8 has
 * nothing to collect: of a buffer for each message it would learn only by full collections, which
 * it starts after every 64 MB and which mark the whole heap.
 *
 * Messages of all sizes lie one after another in slabs of one size. A slab is used again when
 * nothing in it is in use: messages are given back about in the order in which they came.
 *
 * V8 counts no shared memory, so it starts no collection when much of it is left, and each thread
 * that read it has to collect, too. So the pool drops none of it, and creates no more than a limit.
 */
import { MiB } from '#schemas/limits.ts'
import { SlabRegions } from './slab-regions.ts'

/** Holds a message of the maximum size, and nearly as much again. */
const slabBytesDefault = 8 * MiB
/**
 * Of four partitions, a full range that is digested, one that waits, and what the broker has sent
 * ahead take 192 MiB. A slab is in use until the last of its messages is given back, so more is
 * needed.
 */
const bytesMaxDefault = 320 * MiB

export class SharedMemoryPool {
  readonly #slabBytes: number
  readonly #slabsMax: number
  /** A slab that only its messages refer to is collected with them. */
  readonly #regionsOf = new WeakMap<ArrayBufferLike, SlabRegions>()
  /** The regions of every slab, also of one that is in use. */
  readonly #regions = new Set<SlabRegions>()
  /** Slabs with nothing in use. */
  readonly #free: SharedArrayBuffer[] = []
  /** The slab that the next message goes to. */
  #filling: SharedArrayBuffer | undefined
  /** A slab with a message that nobody gave back is collected some time, and makes room. */
  readonly #collected = new FinalizationRegistry<SlabRegions>((regions) => {
    this.#regions.delete(regions)
  })

  /** @param options `bytesMax` limits all slabs together. */
  constructor({ bytesMax = bytesMaxDefault, slabBytes = slabBytesDefault } = {}) {
    this.#slabBytes = slabBytes
    this.#slabsMax = Math.floor(bytesMax / slabBytes)
  }

  /** Bytes of all slabs. */
  get bytes(): number {
    return this.#regions.size * this.#slabBytes
  }

  /** Bytes of the messages that were taken and not given back. */
  get usedBytes(): number {
    let bytes = 0
    for (const { usedBytes } of this.#regions) bytes += usedBytes
    return bytes
  }

  /**
   * The content is that of an earlier use. Beyond the limit, and for a message that is larger than
   * a slab, the memory is not shared.
   */
  take(byteLength: number): Buffer {
    return (
      this.#takeFrom(this.#filling, byteLength) ??
      this.#takeFrom(this.#nextSlab(byteLength), byteLength) ??
      Buffer.allocUnsafeSlow(byteLength)
    )
  }

  /**
   * Takes the memory of a message back, which nobody may read any more; `bytes` begins anywhere in
   * it. Does nothing with memory that is not the pool's. Giving back twice does nothing either,
   * unless the memory serves another message by then.
   */
  giveBack({ buffer, byteOffset }: Uint8Array): void {
    const regions = this.#regionsOf.get(buffer)
    if (!regions?.remove(byteOffset) || !regions.isEmpty) return
    if (buffer !== this.#filling) this.#free.push(buffer as SharedArrayBuffer)
  }

  #takeFrom(slab: SharedArrayBuffer | undefined, byteLength: number): Buffer | undefined {
    if (slab === undefined) return undefined
    const start = this.#regionsOf.get(slab)!.add(byteLength)
    return start === undefined ? undefined : Buffer.from(slab, start, byteLength)
  }

  /**
   * Returns undefined when every slab is in use and the limit is reached. `#filling` then stays, as
   * it may have room for a smaller message.
   */
  #nextSlab(byteLength: number): SharedArrayBuffer | undefined {
    if (byteLength > this.#slabBytes) return undefined
    const slab = this.#free.pop() ?? this.#create()
    if (slab !== undefined) this.#filling = slab
    return slab
  }

  #create(): SharedArrayBuffer | undefined {
    if (this.#regions.size >= this.#slabsMax) return undefined
    const slab = new SharedArrayBuffer(this.#slabBytes)
    const regions = new SlabRegions(this.#slabBytes)
    this.#regionsOf.set(slab, regions)
    this.#regions.add(regions)
    this.#collected.register(slab, regions)
    return slab
  }
}
