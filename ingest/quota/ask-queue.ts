/**
 * Brings what many meters ask for to the store in few statements: all that ask in one turn go together, and while two
 * batches are on their way the rest collects for the next. Also knows when the store is away: after a failure, or
 * when an answer takes too long; then one batch a second tries again.
 */
import assert from 'node:assert'
import type { Clock } from '#platform/clock.ts'

export interface Asker<Request, Answer> {
  /** Made when the batch leaves, so that it says what is needed by then. */
  request(): Request
  receive(answer: Answer): void
}

export interface AskQueueOptions<Request, Answer> {
  readonly clock: Clock
  /** Answers in the order of the requests, or throws. */
  send(requests: readonly Request[]): Promise<readonly Answer[]>
  /** The store has come back or gone away. */
  onTurn(isAway: boolean, error: unknown): void
}

/** Askers of one statement. */
const batchMax = 500
const batchesMax = 2
/** Without an answer for so long the store counts as away, though the answer may still come. */
export const answerMsMax = 2_000
const retryMs = 1_000

interface Batch {
  readonly sentAtMs: number
  isLate: boolean
  readonly done: Promise<void>
}

export class AskQueue<Request, Answer> {
  readonly #options: AskQueueOptions<Request, Answer>
  readonly #waiting = new Set<Asker<Request, Answer>>()
  readonly #underway = new Set<Batch>()
  #isScheduled = false
  #retryAtMs = Number.NEGATIVE_INFINITY
  #isAway = false
  #isClosed = false

  constructor(options: AskQueueOptions<Request, Answer>) {
    this.#options = options
  }

  get isAway(): boolean {
    return this.#isAway
  }

  /** Until it is answered, an asker is kept and its request repeated. Adding it twice while it waits is one. */
  add(asker: Asker<Request, Answer>): void {
    this.#waiting.add(asker)
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      this.#sendWaiting()
    })
  }

  tick(): void {
    const nowMs = this.#options.clock.monotonicMs()
    for (const batch of this.#underway) {
      if (batch.isLate || nowMs < batch.sentAtMs + answerMsMax) continue
      // Said once: another batch may be answered meanwhile.
      batch.isLate = true
      this.#turn(true, new Error('no answer in time'))
    }
    this.#sendWaiting()
  }

  /** Nothing is sent any more; what is on its way is answered or has failed when this returns. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#underway.size > 0) {
      await Promise.all([...this.#underway].map((batch) => batch.done))
    }
  }

  #sendWaiting(): void {
    const nowMs = this.#options.clock.monotonicMs()
    if (this.#isClosed || nowMs < this.#retryAtMs) return
    while (this.#waiting.size > 0 && this.#underway.size < batchesMax) {
      const askers: Asker<Request, Answer>[] = []
      const requests: Request[] = []
      for (const asker of this.#waiting) {
        if (askers.length === batchMax) break
        this.#waiting.delete(asker)
        askers.push(asker)
        requests.push(asker.request())
      }
      this.#send(askers, requests, nowMs)
    }
  }

  #send(askers: Asker<Request, Answer>[], requests: Request[], sentAtMs: number): void {
    const done = this.#options.send(requests).then(
      (answers) => {
        this.#underway.delete(batch)
        assert(answers.length === askers.length)
        this.#retryAtMs = Number.NEGATIVE_INFINITY
        this.#turn(false, undefined)
        for (const [index, asker] of askers.entries()) asker.receive(answers[index]!)
        this.#sendWaiting()
      },
      (error: unknown) => {
        this.#underway.delete(batch)
        // Whether it was done is not known: the same request is repeated until that is.
        for (const asker of askers) this.#waiting.add(asker)
        this.#retryAtMs = this.#options.clock.monotonicMs() + retryMs
        this.#turn(true, error)
      },
    )
    const batch: Batch = { sentAtMs, isLate: false, done }
    this.#underway.add(batch)
  }

  #turn(isAway: boolean, error: unknown): void {
    if (isAway === this.#isAway) return
    this.#isAway = isAway
    this.#options.onTurn(isAway, error)
  }
}
