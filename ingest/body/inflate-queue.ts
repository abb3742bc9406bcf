/**
 * Lets a few bodies be inflated at a time, since each may grow to its cap before it is refused. Most stay
 * small, so all go through a wide lane with a low cap first; what outgrows it starts again in a narrow one.
 * zstd has a lane of its own, so that work in its slow decoder holds nobody else up.
 */
import { MiB } from '#schemas/limits.ts'
import type { BodyEncoding } from './body-encoding.ts'
import { type Inflated, inflateLarge, inflateSmall } from './inflate.ts'
import { Lane } from './lane.ts'
import { ZstdInflater } from './zstd-inflater.ts'

const smallBytesMax = 1 * MiB
/** Memory of the wide lane: 16 MiB. Each step through the thread pool costs a turn of the event loop, so it must be wide. */
const smallRunningMax = 16
/** Each waits in a request whose body is counted, so this bounds the wait rather than the memory. */
const smallWaitingMax = 4096
const largeWaitingMax = 64
const zstdWaitingMax = 256

export type QueuedEncoding = Exclude<BodyEncoding, 'identity'>

export class InflateQueue {
  readonly #small = new Lane(smallRunningMax, smallWaitingMax)
  readonly #large: Lane
  readonly #zstd = new Lane(1, zstdWaitingMax)
  readonly #zstdInflater = new ZstdInflater()

  /** @param largeRunningMax each of these may grow to the whole cap. */
  constructor(largeRunningMax: number) {
    this.#large = new Lane(largeRunningMax, largeWaitingMax)
  }

  /**
   * The bodies that wait are held by the requests they belong to, and stay counted there until this has settled.
   *
   * @param isOver true when nobody waits for the result any more.
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
