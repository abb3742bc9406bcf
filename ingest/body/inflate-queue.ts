/**
 * Limits how many bodies are inflated at a time, because each may grow to its cap before it is
 * refused. Most bodies are small, so all start in a wide lane with a low cap; a body that exceeds
 * it starts again in a narrow lane. zstd has its own lane, so that its slow decoder delays no other
 * encoding.
 */
import { MiB } from '#schemas/limits.ts'
import type { BodyEncoding } from './body-encoding.ts'
import { type Inflated, inflateLarge, inflateSmall } from './inflate.ts'
import { Lane } from './lane.ts'
import { ZstdInflater } from './zstd-inflater.ts'

const smallBytesMax = 1 * MiB
/**
 * Memory of the wide lane: 16 MiB. Each step through the thread pool costs a turn of the event
 * loop, so the lane must be wide.
 */
const smallRunningMax = 16
/**
 * Bodies that wait are counted by their requests, so this bounds the wait rather than the memory.
 */
const smallWaitingMax = 4096
const largeWaitingMax = 64
const zstdWaitingMax = 256

export type QueuedEncoding = Exclude<BodyEncoding, 'identity'>

export class InflateQueue {
  readonly #small = new Lane(smallRunningMax, smallWaitingMax)
  readonly #large: Lane
  readonly #zstd = new Lane(1, zstdWaitingMax)
  readonly #zstdInflater = new ZstdInflater()

  /** @param largeRunningMax each of these may grow to the full cap. */
  constructor(largeRunningMax: number) {
    this.#large = new Lane(largeRunningMax, largeWaitingMax)
  }

  /**
   * Waiting bodies are held and counted by their requests until this settles.
   *
   * @param isOver true when the result is no longer needed.
   */
  async inflate(
    bytes: Uint8Array,
    encoding: QueuedEncoding,
    bytesMax: number,
    isOver: () => boolean,
  ): Promise<Inflated | 'overloaded'> {
    if (encoding === 'zstd') {
      return this.#zstd.run(() => this.#zstdInflater.inflate(bytes, bytesMax), isOver)
    }
    if (bytes.length < smallBytesMax) {
      const cap = Math.min(smallBytesMax, bytesMax)
      const work = () => inflateSmall(bytes, encoding, cap)
      const small = await this.#small.run(work, isOver)
      if (small !== 'too_large' || cap === bytesMax) return small
    }
    return this.#large.run(() => inflateLarge(bytes, encoding, bytesMax), isOver)
  }
}
