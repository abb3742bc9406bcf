/**
 * Results on their way to the ledger, in groups: one commit for many letters. Until a result is stored its letter counts as handed
 * over, so a crash makes it uncertain; hence the short wait. While Postgres is away results are kept and nothing new is taken.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#platform/logger.ts'

export interface RecorderOptions<Result> {
  readonly write: (results: readonly Result[]) => Promise<void>
  readonly log: Logger
}

const flushMs = 20
const groupMax = 200
/** More than that and the lanes stand still. */
const pendingMax = 1_000
const againMs = 1_000

export class Recorder<Result> {
  readonly #options: RecorderOptions<Result>
  #pending: Result[] = []
  #writing = 0
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> | undefined

  constructor(options: RecorderOptions<Result>) {
    this.#options = options
  }

  get isFull(): boolean {
    return this.#pending.length + this.#writing > pendingMax
  }

  add(result: Result): void {
    this.#pending.push(result)
    if (this.#pending.length >= groupMax) void this.#flush()
    else this.#timer ??= setTimeout(() => void this.#flush(), flushMs)
  }

  /** All of them, however long it takes. */
  async drain(): Promise<void> {
    while (this.#pending.length > 0 || this.#flushing !== undefined) await this.#flush()
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#flushing ??= this.#writeAll().finally(() => {
      this.#flushing = undefined
    })
    return this.#flushing
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const group = this.#pending.splice(0, groupMax)
      this.#writing = group.length
      await this.#write(group)
      this.#writing = 0
    }
  }

  async #write(group: readonly Result[]): Promise<void> {
    while (true) {
      try {
        await this.#options.write(group)
        return
      } catch (error) {
        this.#options.log.warn(
          { code: 'results_wait', err: error, results: group.length },
          'Results of letters could not be stored; trying again.',
        )
        await sleep(againMs)
      }
    }
  }
}
