/** Scrapes all processes again and again, and remembers their counters. */
import type { Clock } from '#platform/clock.ts'
import { newHistory, type Observed, readSnapshot } from './read-snapshot.ts'
import { resolveTargets } from './resolve-targets.ts'
import { scrape } from './scrape.ts'
import type { SeriesHistory } from './series-history.ts'
import type { Snapshot } from './snapshot.ts'
import type { Target } from './target.ts'

export class ProcessWatch {
  readonly #targets: readonly Target[]
  readonly #clock: Clock
  #histories = new Map<string, SeriesHistory>()

  constructor(targets: readonly Target[], clock: Clock) {
    this.#targets = targets
    this.#clock = clock
  }

  /** One round over all processes at once. It takes no longer than the limits of a request. */
  async look(): Promise<Snapshot> {
    const targets = await resolveTargets(this.#targets)
    const scrapes = await Promise.all(
      targets.map((target) => scrape(target, () => this.#clock.monotonicMs())),
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
