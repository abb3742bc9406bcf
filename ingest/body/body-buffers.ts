/**
 * Pool of the buffers that bodies start in. Half of all SDKs send their body in chunks, and
 * allocating memory outside V8's heap for each of them costs more than reading it.
 */
import assert from 'node:assert'
import { KiB } from '#schemas/limits.ts'

/** Initial size; most events are smaller. */
const firstBytes = 16 * KiB
/**
 * Spare buffers that are kept: more than the bodies that arrive in chunks at any time, unless
 * something is slow.
 */
const sparesMax = 256

export class BodyBuffers {
  readonly #spares: Buffer[] = []

  take(): Buffer {
    return this.#spares.pop() ?? Buffer.allocUnsafeSlow(firstBytes)
  }

  /** Only for bytes that are no longer read. Larger buffers are left to the garbage collector. */
  giveBack(bytes: Buffer): void {
    assert(firstBytes <= bytes.length)
    if (bytes.length > firstBytes || sparesMax <= this.#spares.length) return
    this.#spares.push(bytes)
  }
}
