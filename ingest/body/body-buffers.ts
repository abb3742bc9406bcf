/**
 * Pool of the buffers that bodies grow in. Half of all SDKs send their body in chunks, and
 * allocating memory outside V8's heap for each of them costs more than reading it: the memory is
 * touched for the first time, and it drives the garbage collector.
 */
import assert from 'node:assert'
import { KiB } from '#schemas/limits.ts'

/**
 * Sizes in the order in which a body grows, with the spare buffers that are kept of each: more than
 * the bodies that arrive in chunks at any time, unless something is slow. Most events fit the first
 * size, and nearly all the second. Larger bodies double.
 */
const pools = [
  { bytes: 16 * KiB, sparesMax: 256 },
  { bytes: 64 * KiB, sparesMax: 64 },
  { bytes: 128 * KiB, sparesMax: 32 },
] as const

export class BodyBuffers {
  readonly #spares: readonly Buffer[][] = pools.map(() => [])

  /** The smallest buffer in which a body starts, or one that is larger than the former buffer. */
  take(bytesMin = 0, bytesBefore = 0): Buffer {
    for (const [index, { bytes }] of pools.entries()) {
      if (bytes < bytesMin || bytes <= bytesBefore) continue
      return this.#spares[index]!.pop() ?? Buffer.allocUnsafeSlow(bytes)
    }
    return Buffer.allocUnsafeSlow(Math.max(bytesMin, bytesBefore * 2))
  }

  /** Only for bytes that are no longer read. Other sizes are left to the garbage collector. */
  giveBack(bytes: Buffer): void {
    assert(pools[0].bytes <= bytes.length)
    const index = pools.findIndex((pool) => pool.bytes === bytes.length)
    const spares = this.#spares[index]
    if (spares !== undefined && spares.length < pools[index]!.sparesMax) spares.push(bytes)
  }
}
