/**
 * The life of one simulated process. Every timer, answer and message goes through it: a killed
 * process receives nothing more, so its promises never settle; a paused one receives everything
 * late, in the original order.
 */
import type { Clock } from '#platform/clock.ts'
import type { Cancel, Timeline } from '../timeline.ts'

/** The wall clock of one machine, which people and time servers may change. */
export interface WallClock {
  /** Added to virtual time. */
  offsetMs: number
}

export class SimProcess {
  readonly name: string
  readonly clock: Clock
  state: 'running' | 'paused' | 'dead' = 'running'
  readonly #timeline: Timeline
  readonly #waiting: (() => void)[] = []
  readonly #onDeath: (() => void)[] = []

  constructor(name: string, timeline: Timeline, wall: WallClock) {
    this.name = name
    this.#timeline = timeline
    this.clock = {
      nowMs: () => Math.floor(wall.offsetMs + timeline.nowMs),
      monotonicMs: () => timeline.nowMs,
    }
  }

  /** Runs in the process after the delay, unless it has died by then. */
  after(delayMs: number, run: () => void): Cancel {
    let isCancelled = false
    const cancel = this.#timeline.after(delayMs, () =>
      this.deliver(() => {
        if (!isCancelled) run()
      }),
    )
    return () => {
      isCancelled = true
      cancel()
    }
  }

  /** Repeats `run`; each interval begins when the previous run has finished. */
  every(intervalMs: number, run: () => unknown): void {
    const again = () => {
      this.after(intervalMs, () => {
        void Promise.resolve(run()).then(again, (error: unknown) => {
          this.note(`timer failed: ${String(error)}`)
          again()
        })
      })
    }
    again()
  }

  deliver(run: () => void): void {
    if (this.state === 'dead') return
    if (this.state === 'paused') this.#waiting.push(run)
    else run()
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(delayMs, resolve)
    })
  }

  /**
   * Registers what the other components do when the process dies, such as closing its connections.
   */
  onDeath(run: () => void): void {
    this.#onDeath.push(run)
  }

  kill(): void {
    if (this.state === 'dead') return
    this.note('killed')
    this.state = 'dead'
    this.#waiting.length = 0
    for (const run of this.#onDeath) run()
  }

  pause(): void {
    if (this.state !== 'running') return
    this.note('paused')
    this.state = 'paused'
  }

  resume(): void {
    if (this.state !== 'paused') return
    this.note('resumed')
    this.state = 'running'
    // Each in its own turn, as an event loop would run them.
    for (const run of this.#waiting.splice(0)) this.#timeline.after(0, () => this.deliver(run))
  }

  note(text: string): void {
    this.#timeline.note(`${this.name}: ${text}`)
  }
}
