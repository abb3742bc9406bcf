/** A place for one process: whoever runs there dies, and another one is started in its stead, as a supervisor does. */
import type { SimProcess } from './sim-process.ts'
import type { Timeline } from './timeline.ts'

export interface Service {
  readonly process: SimProcess
  /** Ends it properly; the process is dead when the promise resolves. */
  drain(): Promise<void>
}

export class Slot<T extends Service> {
  current: T
  readonly #start: (launch: number) => T
  readonly #timeline: Timeline
  #launches = 1

  constructor(timeline: Timeline, start: (launch: number) => T) {
    this.#timeline = timeline
    this.#start = start
    this.current = start(1)
  }

  get isUp(): boolean {
    return this.current.process.state !== 'dead'
  }

  /** Kills it, and starts another one after a while. */
  kill(downMs: number): void {
    if (!this.isUp) return
    this.current.process.kill()
    this.#timeline.after(downMs, () => this.ensure())
  }

  /** Ends it properly, and starts another one after a while. */
  replace(downMs: number): void {
    if (this.current.process.state !== 'running') return
    const { current } = this
    void current.drain().then(() => {
      current.process.kill()
      this.#timeline.after(downMs, () => this.ensure())
    })
  }

  /** Somebody runs here, whatever happened. */
  ensure(): void {
    if (this.isUp) {
      this.current.process.resume()
      return
    }
    this.#launches += 1
    this.current = this.#start(this.#launches)
  }
}
