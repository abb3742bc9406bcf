/**
 * Lets a few bodies be inflated at a time, since each may grow to its cap before it is refused. Most stay
 * small, so all go through a wide lane with a low cap first; what outgrows it starts again in a narrow one.
 */
import { KiB, MiB } from '#schemas/limits.ts'
import type { BodyEncoding } from './body-encoding.ts'
import { type Inflated, inflate } from './inflate.ts'

const smallBytesMax = 1 * MiB
/** Memory of the wide lane: 16 MiB. Each step through the thread pool costs a turn of the event loop, so it must be wide. */
const smallRunningMax = 16
/** A typical body comes out in one step. */
const smallStepBytes = 128 * KiB
const largeStepBytes = 64 * KiB

export class InflateQueue {
  readonly #small = new Lane(smallRunningMax)
  readonly #large: Lane

  /** @param largeRunningMax each of these may grow to the whole cap. */
  constructor(largeRunningMax: number) {
    this.#large = new Lane(largeRunningMax)
  }

  /** The bodies that wait are held, and bounded, by the requests they belong to. */
  async inflate(bytes: Uint8Array, encoding: BodyEncoding, bytesMax: number): Promise<Inflated> {
    if (bytes.length < smallBytesMax) {
      const cap = Math.min(smallBytesMax, bytesMax)
      const small = await this.#small.run(() => inflate(bytes, encoding, cap, smallStepBytes))
      if (small !== 'too_large' || cap === bytesMax) return small
    }
    return this.#large.run(() => inflate(bytes, encoding, bytesMax, largeStepBytes))
  }
}

class Lane {
  readonly #runningMax: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(runningMax: number) {
    this.#runningMax = runningMax
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    // Whoever ends hands its place on, so that nobody who comes later can take it.
    if (this.#running < this.#runningMax) this.#running += 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }
}
