/**
 * Virtual time. Nothing waits here: the clock jumps to the next thing that happens. Between two of
 * them every promise that can go on does so, which makes the order of all asynchronous work a
 * function of the seed.
 */
import { crc32 } from 'node:zlib'
import type { Random } from './parts/random.ts'

export type Cancel = () => void

interface Happening {
  readonly atMs: number
  /** Of two at the same moment the seed decides. */
  readonly tie: number
  readonly order: number
  run: (() => void) | undefined
}

export class Timeline {
  nowMs = 0
  eventCount = 0
  /** Grows with every line of the trace; two runs of one seed end with the same. */
  hash = 0
  readonly #random: Random
  readonly #heap: Happening[] = []
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
    const happening: Happening = {
      atMs: this.nowMs + Math.max(0, delayMs),
      tie: this.#random.share(),
      order: this.#lastOrder,
      run,
    }
    push(this.#heap, happening)
    return () => {
      happening.run = undefined
    }
  }

  /** One line of the trace. It is part of the hash whether it is kept or not. */
  note(text: string): void {
    const line = `${this.nowMs.toFixed(1).padStart(9)} ${text}`
    this.hash = crc32(line, this.hash)
    this.#lines?.push(line)
  }

  /** Something that must never happen; the run ends with it. */
  fail(error: unknown): void {
    this.#failure ??= { error }
  }

  /** Lets things happen until `untilMs`, or until `isDone` says so, which is asked after each. */
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
      // A turn of the real event loop: when it ends, no promise of the world is left to go on.
      await new Promise((resolve) => setImmediate(resolve))
      if (this.#failure !== undefined) throw this.#failure.error
    }
    return 'done'
  }
}

function isBefore(one: Happening, other: Happening): boolean {
  if (one.atMs !== other.atMs) return one.atMs < other.atMs
  if (one.tie !== other.tie) return one.tie < other.tie
  return one.order < other.order
}

function push(heap: Happening[], happening: Happening): void {
  let at = heap.length
  heap.push(happening)
  while (at > 0) {
    const above = (at - 1) >> 1
    if (!isBefore(happening, heap[above]!)) break
    heap[at] = heap[above]!
    at = above
  }
  heap[at] = happening
}

function pop(heap: Happening[]): void {
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
