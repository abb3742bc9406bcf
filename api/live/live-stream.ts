/**
 * One event stream. What its reader does not take is merged by topic, so that a slow reader costs a
 * bounded amount of memory; one that takes nothing for long is disconnected.
 */
import { Readable } from 'node:stream'
import type { LiveChange } from '#schemas/rest/live.ts'
import { mergeChanges } from './compare-versions.ts'

const bufferedBytesMax = 16 * 1024
/** A reader that falls behind has this long to catch up. */
export const stalledMsMax = 30_000

export class LiveStream extends Readable {
  #isReady = false
  #isEnded = false
  #waiting: readonly LiveChange[] = []
  #cursor: string
  #stalledSinceMs: number | undefined

  constructor(cursor: string) {
    super({ highWaterMark: bufferedBytesMax })
    this.#cursor = cursor
    // An id without data is kept by the client and not dispatched.
    this.#write(`retry: 2000\nid: ${cursor}\n\n`)
  }

  announce(changes: readonly LiveChange[], cursor: string): void {
    this.#cursor = cursor
    this.#waiting = mergeChanges([...this.#waiting, ...changes])
    if (this.#isReady) this.#flush()
  }

  keepAlive(nowMs: number, cursor: string): void {
    if (this.#isReady) {
      this.#cursor = cursor
      this.#write(`: keepalive\nid: ${cursor}\n\n`)
    } else if (this.#stalledSinceMs === undefined) this.#stalledSinceMs = nowMs
    else if (stalledMsMax <= nowMs - this.#stalledSinceMs) this.destroy()
  }

  /** After what was written so far. */
  end(): void {
    if (this.#isEnded || this.destroyed) return
    this.#isEnded = true
    this.push(null)
  }

  /** The reader has taken what was written. */
  override _read(): void {
    this.#isReady = true
    this.#stalledSinceMs = undefined
    this.#flush()
  }

  #flush(): void {
    if (this.#waiting.length === 0) return
    const lines = this.#waiting.map(
      (change) => `event: changed\nid: ${this.#cursor}\ndata: ${JSON.stringify(change)}\n\n`,
    )
    this.#waiting = []
    this.#write(lines.join(''))
  }

  #write(text: string): void {
    if (!this.destroyed && !this.#isEnded) this.#isReady = this.push(text)
  }
}
