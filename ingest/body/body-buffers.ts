/**
 * Buffers that bodies begin to arrive in, used again once a request is through. Half of all SDKs send their body in chunks,
 * and memory from outside V8's heap, made for each of them, costs more than reading it.
 */
import assert from 'node:assert'
import { KiB } from '#schemas/limits.ts'

/** Most events are smaller. */
const firstBytes = 16 * KiB
/** Spare buffers kept: more than requests arrive in pieces at a time, unless something is slow. */
const sparesMax = 256

export class BodyBuffers {
  readonly #spares: Buffer[] = []

  take(): Buffer {
    return this.#spares.pop() ?? Buffer.allocUnsafeSlow(firstBytes)
  }

  /** Only for bytes that nobody will read again. Larger ones are left to the collector. */
  giveBack(bytes: Buffer): void {
    assert(firstBytes <= bytes.length)
    if (bytes.length > firstBytes || sparesMax <= this.#spares.length) return
    this.#spares.push(bytes)
  }
}
