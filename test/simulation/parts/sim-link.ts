/**
 * The connection between a process and a store. A call may fail before it is executed, be executed
 * without a response, take long, or hang until the store recovers. A call in flight is executed
 * even if its sender has died.
 */

import type { Random } from '../../fixtures/random.ts'
import type { Timeline } from '../timeline.ts'
import type { SimProcess } from './sim-process.ts'
import type { Traps } from './traps.ts'

export interface LinkTrouble {
  /** Connections are refused at once. */
  isDown: boolean
  /** Calls are neither executed nor answered until it ends; the caller times out. */
  hangs: boolean
  /** Share of calls that fail before they are executed. */
  failShare: number
  /** Share of calls that are executed and whose response is lost. */
  lostAnswerShare: number
  /** Share of calls that take up to `slowMs` to arrive. */
  slowShare: number
  slowMs: number
}

export const noTrouble: Readonly<LinkTrouble> = {
  isDown: false,
  hangs: false,
  failShare: 0,
  lostAnswerShare: 0,
  slowShare: 0,
  slowMs: 0,
}

/** The connection to a store failed: the result of the call is unknown. */
export class LinkError extends Error {
  readonly code = 'ECONNRESET'
}

const latencyMs = [0.2, 3] as const

export interface LinkOptions {
  readonly timeline: Timeline
  readonly random: Random
  readonly timeoutMs: number
  readonly traps: Traps
}

export class SimLink {
  readonly trouble: LinkTrouble = { ...noTrouble }
  /** Calls that have not been executed yet. */
  underwayCount = 0
  readonly #name: string
  readonly #timeline: Timeline
  readonly #random: Random
  readonly #timeoutMs: number
  readonly #hanging: (() => void)[] = []

  readonly #traps: Traps

  constructor(name: string, { timeline, random, timeoutMs, traps }: LinkOptions) {
    this.#traps = traps
    this.#name = name
    this.#timeline = timeline
    this.#random = random
    this.#timeoutMs = timeoutMs
  }

  heal(): void {
    Object.assign(this.trouble, noTrouble)
    // Hanging calls are executed now, even if their callers have timed out.
    for (const run of this.#hanging.splice(0)) this.#timeline.after(this.#latency(), run)
  }

  /** @param execute does the work of the store; it is atomic. */
  call<T>(process: SimProcess, what: string, execute: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      let isSettled = false
      const settle = (run: () => void) => {
        process.deliver(() => {
          if (isSettled) return
          isSettled = true
          cancelTimeout()
          run()
        })
      }
      const fail = (why: string) => {
        this.#timeline.note(`${process.name} -> ${this.#name} ${what}: ${why}`)
        this.#timeline.after(this.#latency(), () =>
          settle(() => reject(new LinkError(`${this.#name} ${what}: ${why}`))),
        )
      }
      const cancelTimeout = process.after(this.#timeoutMs, () => {
        if (isSettled) return
        isSettled = true
        process.note(`timed out waiting for ${this.#name} ${what}`)
        reject(new LinkError(`${this.#name} ${what}: timed out`))
      })
      const arrive = () => {
        this.underwayCount -= 1
        const { trouble } = this
        if (trouble.isDown) return fail('refused')
        if (trouble.hangs) {
          this.underwayCount += 1
          this.#hanging.push(arrive)
          return
        }
        if (this.#random.chance(trouble.failShare)) return fail('failed before execution')
        let answer: () => void
        try {
          const value = execute()
          this.#timeline.note(`${process.name} -> ${this.#name} ${what}`)
          answer = () => resolve(value)
        } catch (error) {
          this.#timeline.note(`${process.name} -> ${this.#name} ${what}: ${String(error)}`)
          answer = () => reject(error)
        }
        this.#traps.done(process, what)
        if (this.#random.chance(trouble.lostAnswerShare)) return fail('response lost')
        this.#timeline.after(this.#latency(), () => settle(answer))
      }
      const { trouble } = this
      const isSlow = this.#random.chance(trouble.slowShare)
      const extraMs = isSlow ? this.#random.spread(0, trouble.slowMs) : 0
      const lateMs = this.#traps.onTheWay(process, what)
      this.underwayCount += 1
      this.#timeline.after(this.#latency() + extraMs + lateMs, arrive)
    })
  }

  #latency(): number {
    return this.#random.spread(...latencyMs)
  }
}
