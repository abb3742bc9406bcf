/**
 * A place for one process: whoever runs there dies, and another one is started in its stead, as a
 * supervisor does.
 */

import type { Timeline } from '../timeline.ts'
import type { SimProcess } from './sim-process.ts'

export interface Service {
  readonly process: SimProcess
  /** Ends it properly; nothing is left to do in it when the promise resolves. */
  drain(): Promise<void>
}

/** Before a process that ended by itself is started again. */
const restartMs = 500

export class Slot<T extends Service> {
  current: T
  readonly #start: (launch: number) => T
  readonly #timeline: Timeline
  #launches = 0
  #downMs = restartMs
  #isClosed = false

  constructor(timeline: Timeline, start: (launch: number) => T) {
    this.#timeline = timeline
    this.#start = start
    this.current = this.#launch()
  }

  /** Kills it; another one is started after a while. */
  kill(downMs: number): void {
    this.#downMs = downMs
    this.current.process.kill()
  }

  /** Ends it properly; another one is started after a while. */
  replace(downMs: number): void {
    const { current } = this
    if (current.process.state !== 'running') return
    void current.drain().then(() => {
      if (this.current === current) this.kill(downMs)
    })
  }

  /** Somebody runs here, whatever happened. */
  ensure(): void {
    this.#downMs = restartMs
    this.current.process.resume()
    if (this.current.process.state === 'dead') this.current = this.#launch()
  }

  /** Nobody is started here any more. */
  close(): void {
    this.#isClosed = true
    this.current.process.kill()
  }

  #launch(): T {
    this.#launches += 1
    const launched = this.#start(this.#launches)
    launched.process.onDeath(() => {
      this.#timeline.after(this.#downMs, () => {
        if (!this.#isClosed && this.current === launched) this.current = this.#launch()
      })
    })
    return launched
  }
}
