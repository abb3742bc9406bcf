/** A place for one process: when the process dies, another one is started, as a supervisor does. */

import type { Timeline } from '../timeline.ts'
import type { SimProcess } from './sim-process.ts'

export interface Service {
  readonly process: SimProcess
  /** Shuts it down gracefully; it does no more work once the promise resolves. */
  drain(): Promise<void>
}

/** Delay before a process that exited by itself is started again. */
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

  /** Kills the process; another one is started after `downMs`. */
  kill(downMs: number): void {
    this.#downMs = downMs
    this.current.process.kill()
  }

  /** Shuts the process down gracefully; another one is started after `downMs`. */
  replace(downMs: number): void {
    const { current } = this
    if (current.process.state !== 'running') return
    void current.drain().then(() => {
      if (this.current === current) this.kill(downMs)
    })
  }

  /** Makes sure that a process runs now. */
  ensure(): void {
    this.#downMs = restartMs
    this.current.process.resume()
    if (this.current.process.state === 'dead') this.current = this.#launch()
  }

  /** Kills the process, and starts no other one. */
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
