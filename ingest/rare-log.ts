/** Limits a frequent warning to one log line per interval, with the number of suppressed ones. */
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'

export class RareLog {
  readonly #log: Logger
  readonly #clock: Clock
  readonly #everyMs: number
  #writtenAtMs = Number.NEGATIVE_INFINITY
  #leftOut = 0

  constructor(log: Logger, clock: Clock, everyMs: number) {
    this.#log = log
    this.#clock = clock
    this.#everyMs = everyMs
  }

  warn(fields: { readonly code: string } & Record<string, unknown>, sentence: string): void {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs < this.#writtenAtMs + this.#everyMs) {
      this.#leftOut += 1
      return
    }
    this.#writtenAtMs = nowMs
    this.#log.warn({ ...fields, leftOut: this.#leftOut }, sentence)
    this.#leftOut = 0
  }
}
