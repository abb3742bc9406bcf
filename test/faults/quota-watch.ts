/**
 * Looks again and again, through all faults, whether a project has more events than its limit
 * allows.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stores } from './read-stores.ts'

const lookEveryMs = 200

export class QuotaWatch {
  /** How often it could look: with the databases down there is nothing to see. */
  looks = 0
  readonly #stores: Stores
  readonly #projectId: number
  readonly #limit: number
  readonly #done: Promise<void>
  #ended = false
  #highest = 0

  constructor(stores: Stores, projectId: number, limit: number) {
    this.#stores = stores
    this.#projectId = projectId
    this.#limit = limit
    this.#done = this.#look()
  }

  async end(): Promise<string[]> {
    this.#ended = true
    await this.#done
    if (this.#highest <= this.#limit) return []
    return [`at some moment ${this.#highest} events were accepted, ${this.#limit} are allowed`]
  }

  async #look(): Promise<void> {
    while (!this.#ended) {
      try {
        const events = await this.#stores.countEvents(this.#projectId)
        this.#highest = Math.max(this.#highest, events)
        this.looks += 1
      } catch {
        // Whatever is down now is up again in a moment.
      }
      await sleep(lookEveryMs)
    }
  }
}
