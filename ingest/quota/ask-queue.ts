/**
 * Batches requests to the store: all requests of one turn go into one statement, and while two
 * batches are in flight further requests are collected for the next one. Also detects when the
 * store is unavailable: after an error, or when an answer takes too long. One batch per second is
 * sent until it is available again.
 */
import assert from 'node:assert'
import type { Clock } from '#platform/clock.ts'

export interface Asker<Request, Answer> {
  /** Called when the batch is sent, so that the request holds the latest needs. */
  request(): Request
  receive(answer: Answer): void
}

export interface AskQueueOptions<Request, Answer> {
  readonly clock: Clock
  /** Resolves to the answers in the order of the requests, or rejects. */
  send(requests: readonly Request[]): Promise<readonly Answer[]>
  /** Called when the store becomes unavailable and when it is available again. */
  onTurn(isAway: boolean, error: unknown): void
}

/** Requests in one statement. */
const batchMax = 500
const batchesMax = 2
/**
 * After this time without an answer the store counts as unavailable. The answer may still arrive.
 */
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

  /**
   * Keeps an asker, and repeats its request, until it is answered. Adding a waiting asker again has
   * no effect.
   */
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
      // Reported once for each batch: another batch may be answered meanwhile.
      batch.isLate = true
      this.#turn(true, new Error('no answer in time'))
    }
    this.#sendWaiting()
  }

  /** Stops sending. Resolves when every batch in flight has been answered or has failed. */
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
        // The statement may have been executed, so the same requests are repeated until they are
        // answered.
        // mutant: keep-failed-requests
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
