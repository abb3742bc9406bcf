/**
 * Polls the stored events of a project during all faults and reports when there are more than its
 * limit.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stores } from './read-stores.ts'

const lookEveryMs = 200

export class QuotaWatch {
  /** Number of successful polls; a poll fails while a database is down. */
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
    return [`${this.#highest} events were accepted at some moment, ${this.#limit} are allowed`]
  }

  async #look(): Promise<void> {
    while (!this.#ended) {
      try {
        const events = await this.#stores.countEvents(this.#projectId)
        this.#highest = Math.max(this.#highest, events)
        this.looks += 1
      } catch {
        // A database is down; the next poll tries again.
      }
      await sleep(lookEveryMs)
    }
  }
}
