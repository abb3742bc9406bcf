/**
 * Publishes the dead letters whose retry was requested, and counts all dead letters for the metric.
 */
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import type { LabelledGauge } from '#platform/metrics/metric-types.ts'
import { deadLetterReasons } from '#schemas/dead-letter.ts'

/** The table is counted this often. */
const countIntervalMs = 30_000

export interface DeadLetterContext {
  readonly publisher: { publish(): Promise<number> }
  readonly count: () => Promise<ReadonlyMap<string, number>>
  /** Whether this process owns the first partition: one process does this work. */
  readonly isOwner: () => boolean
  readonly gauge: LabelledGauge<'reason'>
  readonly clock: Clock
  readonly log: Logger
}

export class DeadLetterMaintenance {
  readonly #ctx: DeadLetterContext
  #countedAtMs: number | undefined

  constructor(ctx: DeadLetterContext) {
    this.#ctx = ctx
  }

  /** One round. To be called every second; rounds must not overlap. */
  async run(): Promise<void> {
    const { isOwner, gauge, publisher, log } = this.#ctx
    if (!isOwner()) {
      this.#countedAtMs = undefined
      gauge.reset()
      return
    }
    await this.#count()
    const published = await publisher.publish()
    if (published > 0) {
      log.info(
        { code: 'dead_letters_published', published },
        'Dead letters were published for a retry.',
      )
    }
  }

  async #count(): Promise<void> {
    const { clock, count, gauge } = this.#ctx
    const nowMs = clock.monotonicMs()
    if (this.#countedAtMs !== undefined && nowMs - this.#countedAtMs < countIntervalMs) return
    const counts = await count()
    this.#countedAtMs = nowMs
    for (const reason of new Set([...deadLetterReasons, ...counts.keys()])) {
      gauge.set({ reason }, counts.get(reason) ?? 0)
    }
  }
}
