/**
 * Virtual time. Nothing waits in real time: the clock jumps to the next scheduled step. Between two
 * steps all promises settle, so the order of all asynchronous work depends on the seed only.
 */
import { crc32 } from 'node:zlib'
import type { Random } from '../fixtures/random.ts'

export type Cancel = () => void

interface Step {
  readonly atMs: number
  /** Orders steps of the same time; drawn from the seed. */
  readonly tie: number
  readonly order: number
  run: (() => void) | undefined
}

export class Timeline {
  nowMs = 0
  eventCount = 0
  /** Hash of all lines of the trace; two runs of one seed end with the same hash. */
  hash = 0
  readonly #random: Random
  readonly #heap: Step[] = []
  readonly #lines: string[] | undefined
  #lastOrder = 0
  #failure: { readonly error: unknown } | undefined

  constructor(random: Random, keeping: 'trace' | 'hash') {
    this.#random = random
    this.#lines = keeping === 'trace' ? [] : undefined
  }

  get lines(): readonly string[] {
    return this.#lines ?? []
  }

  after(delayMs: number, run: () => void): Cancel {
    this.#lastOrder += 1
    const step: Step = {
      atMs: this.nowMs + Math.max(0, delayMs),
      tie: this.#random.share(),
      order: this.#lastOrder,
      run,
    }
    push(this.#heap, step)
    return () => {
      step.run = undefined
    }
  }

  /** Adds one line to the trace. It is part of the hash even if the lines are not kept. */
  note(text: string): void {
    const line = `${this.nowMs.toFixed(1).padStart(9)} ${text}`
    this.hash = crc32(line, this.hash)
    this.#lines?.push(line)
  }

  /** Reports an error that must never happen; it ends the run. */
  fail(error: unknown): void {
    this.#failure ??= { error }
  }

  /**
   * Runs the steps until `untilMs`, or until `isDone` returns true; it is called after each step.
   */
  async run(untilMs: number, isDone: () => boolean = () => false): Promise<'done' | 'time is up'> {
    while (!isDone()) {
      const next = this.#heap[0]
      if (next === undefined || next.atMs > untilMs) {
        this.nowMs = untilMs
        return 'time is up'
      }
      pop(this.#heap)
      if (next.run === undefined) continue
      this.nowMs = next.atMs
      this.eventCount += 1
      next.run()
      // After one turn of the real event loop no promise of the world is left to settle.
      await new Promise((resolve) => setImmediate(resolve))
      if (this.#failure !== undefined) throw this.#failure.error
    }
    return 'done'
  }
}

function isBefore(one: Step, other: Step): boolean {
  if (one.atMs !== other.atMs) return one.atMs < other.atMs
  if (one.tie !== other.tie) return one.tie < other.tie
  return one.order < other.order
}

function push(heap: Step[], step: Step): void {
  let at = heap.length
  heap.push(step)
  while (at > 0) {
    const above = (at - 1) >> 1
    if (!isBefore(step, heap[above]!)) break
    heap[at] = heap[above]!
    at = above
  }
  heap[at] = step
}

function pop(heap: Step[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let at = 0
  while (true) {
    let below = at * 2 + 1
    if (below >= heap.length) break
    if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below += 1
    if (!isBefore(heap[below]!, last)) break
    heap[at] = heap[below]!
    at = below
  }
  heap[at] = last
}
