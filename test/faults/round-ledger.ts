/**
 * What the clients of a round know: what they sent and how it was answered. 200 means that every
 * valid event of the request will be stored. 429 means that each item has an outcome, but not
 * which. After any other answer the items may be stored or not, but never twice.
 */
import type { ItemCounts, PlannedProject } from './plan-load.ts'

export type Answer =
  | { readonly kind: 'answered'; readonly status: number }
  /** The connection broke before there was a response. */
  | { readonly kind: 'broken' }
  /** There was no response within the timeout. */
  | { readonly kind: 'late' }
  /** No connection was made, so nothing was sent. */
  | { readonly kind: 'refused' }

/** Number of items that have an outcome, and of items that may have one. */
export interface ItemTally {
  certain: number
  possible: number
}

export class RoundLedger {
  readonly project: PlannedProject
  /** Counters of the events that were sent. */
  readonly #sent = new Set<number>()
  readonly #promised = new Set<number>()
  /** Counters of the events that were sent with a file, and of those answered 200. */
  readonly filesSent = new Set<number>()
  readonly filesAnswered = new Set<number>()
  readonly errors: ItemTally = { certain: 0, possible: 0 }
  readonly spoiled: ItemTally = { certain: 0, possible: 0 }
  readonly sessions: ItemTally = { certain: 0, possible: 0 }
  readonly transactions: ItemTally = { certain: 0, possible: 0 }
  readonly files: ItemTally = { certain: 0, possible: 0 }
  /** Number of requests by status; `broken`, `late` and `refused` count as statuses. */
  readonly answers = new Map<string, number>()

  constructor(project: PlannedProject) {
    this.project = project
  }

  record(request: ItemCounts, answer: Answer): void {
    const name = answer.kind === 'answered' ? String(answer.status) : answer.kind
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1)
    if (answer.kind === 'refused') return
    const status = answer.kind === 'answered' ? answer.status : 0
    for (const counter of request.events) {
      this.#sent.add(counter)
      if (status === 200) this.#promised.add(counter)
      if (request.hasFile !== true) continue
      this.filesSent.add(counter)
      if (status === 200) this.filesAnswered.add(counter)
    }
    const certainty = status === 200 || status === 429 ? 'certain' : 'possible'
    this.errors[certainty] += request.events.length + request.spoiled
    this.spoiled[certainty] += request.spoiled
    this.sessions[certainty] += request.sessions
    this.transactions[certainty] += request.transactions
    this.files[certainty] += request.hasFile === true ? 1 : 0
  }

  wasSent(counter: number): boolean {
    return this.#sent.has(counter)
  }

  get promised(): ReadonlySet<number> {
    return this.#promised
  }

  get sentCount(): number {
    return this.#sent.size
  }
}
