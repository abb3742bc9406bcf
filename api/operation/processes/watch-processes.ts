/** Scrapes all processes again and again, and remembers their counters. */
import type { Clock } from '#platform/clock.ts'
import { newHistory, type Observed } from './metric-values.ts'
import { readSnapshot } from './read-snapshot.ts'
import { lookUpMsMax, resolveTargets } from './resolve-targets.ts'
import { requestMsMax, scrape } from './scrape.ts'
import type { SeriesHistory } from './series-history.ts'
import type { Snapshot } from './snapshot.ts'
import type { Target } from './target.ts'

/** How long one round may take. */
export interface RoundLimits {
  readonly lookUpMs: number
  readonly requestMs: number
}

export class ProcessWatch {
  readonly #targets: () => Promise<readonly Target[]>
  readonly #clock: Clock
  readonly #limits: RoundLimits
  #histories = new Map<string, SeriesHistory>()

  /** @param targets the processes, or how to find them in each round */
  constructor(
    targets: readonly Target[] | (() => Promise<readonly Target[]>),
    clock: Clock,
    limits: RoundLimits = { lookUpMs: lookUpMsMax, requestMs: requestMsMax },
  ) {
    this.#targets = typeof targets === 'function' ? targets : async () => targets
    this.#clock = clock
    this.#limits = limits
  }

  /** One round over all processes at once. It takes no longer than the limits of a request. */
  async look(): Promise<Snapshot> {
    const { lookUpMs, requestMs } = this.#limits
    const targets = await resolveTargets(await this.#targets(), { msMax: lookUpMs })
    const scrapes = await Promise.all(
      targets.map((target) => scrape(target, () => this.#clock.monotonicMs(), requestMs)),
    )
    const histories = new Map<string, SeriesHistory>()
    const observed: Observed[] = scrapes.map((one) => {
      const { metricsUrl } = one.target
      const history = this.#histories.get(metricsUrl) ?? newHistory()
      histories.set(metricsUrl, history)
      if (one.metrics !== undefined) history.add(one.atMs, one.metrics)
      return { ...one, history }
    })
    this.#histories = histories
    return readSnapshot(observed, this.#clock.nowMs())
  }
}
