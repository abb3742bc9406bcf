/**
 * What a round's clients know: what they sent and what they were told. An answer of 200 is a
 * promise for every good event of its request; a 429 says that each item has met its fate, but not
 * which; anything else promises nothing, so its items may have been taken or not, but never twice.
 */
import type { ItemCounts, PlannedProject } from './plan-load.ts'

export type Answer =
  | { readonly kind: 'answered'; readonly status: number }
  /** The connection broke before there was an answer. */
  | { readonly kind: 'broken' }
  /** Nothing came for longer than ingest may take. */
  | { readonly kind: 'late' }
  /** No connection was made, so nothing was sent. */
  | { readonly kind: 'refused' }

/** Items whose fate is certain, and those that may have none. */
export interface ItemTally {
  certain: number
  possible: number
}

export class RoundLedger {
  readonly project: PlannedProject
  /** By counter of the event. */
  readonly #sent = new Set<number>()
  readonly #promised = new Set<number>()
  readonly errors: ItemTally = { certain: 0, possible: 0 }
  readonly spoiled: ItemTally = { certain: 0, possible: 0 }
  readonly sessions: ItemTally = { certain: 0, possible: 0 }
  readonly transactions: ItemTally = { certain: 0, possible: 0 }
  /** Requests by status; `broken`, `late` and `refused` are among them. */
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
    }
    const certainty = status === 200 || status === 429 ? 'certain' : 'possible'
    this.errors[certainty] += request.events.length + request.spoiled
    this.spoiled[certainty] += request.spoiled
    this.sessions[certainty] += request.sessions
    this.transactions[certainty] += request.transactions
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
