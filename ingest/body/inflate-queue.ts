/** Lets a few bodies be inflated at a time: each may grow to the full cap before it is refused. */
import type { BodyEncoding } from './body-encoding.ts'
import { type Inflated, inflate } from './inflate.ts'

export class InflateQueue {
  readonly #runningMax: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(runningMax: number) {
    this.#runningMax = runningMax
  }

  /** The bodies that wait are held, and bounded, by the requests they belong to. */
  async inflate(bytes: Uint8Array, encoding: BodyEncoding, bytesMax: number): Promise<Inflated> {
    if (this.#running >= this.#runningMax) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    this.#running += 1
    try {
      return await inflate(bytes, encoding, bytesMax)
    } finally {
      this.#running -= 1
      this.#waiting.shift()?.()
    }
  }
}
