/**
 * Writes results to the ledger in groups, one commit for many emails. Until its result is stored an
 * email counts as handed over, so that a crash makes it uncertain; therefore a group waits only
 * some milliseconds. While Postgres is unavailable results are kept in memory and no new email is
 * taken.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#platform/logger.ts'

export interface RecorderOptions<Result> {
  readonly write: (results: readonly Result[]) => Promise<void>
  /** Default 20: until their results are stored, emails are uncertain. */
  readonly flushMs?: number
  readonly log: Logger
}

const flushMsDefault = 20
const groupMax = 500
/** With more results than this the lanes take no email. */
const pendingMax = 2_000
const retryMs = 1_000

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
    else
      this.#timer ??= setTimeout(() => void this.#flush(), this.#options.flushMs ?? flushMsDefault)
  }

  /** Resolves when all results are stored, without a time limit. */
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
          `Storing the results of emails failed; retrying in ${retryMs / 1000} s.`,
        )
        await sleep(retryMs)
      }
    }
  }
}
