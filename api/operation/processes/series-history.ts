/**
 * The recent values of the counters of one process, for rates. A counter that has become smaller
 * was reset by a restart: its new value is then what was added since.
 */
import type { Metrics } from './prometheus-text.ts'

export interface Increase {
  readonly labels: ReadonlyMap<string, string>
  readonly perSecond: number
}

interface Point {
  readonly atMs: number
  readonly values: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly labels: ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, string>>>
}

/** The longest time over which a rate is measured. */
const keptMs = 60_000
const pointsMax = 120

export class SeriesHistory {
  readonly #names: ReadonlySet<string>
  #points: Point[] = []

  /** @param names the counters to remember. */
  constructor(names: Iterable<string>) {
    this.#names = new Set(names)
  }

  add(atMs: number, metrics: Metrics): void {
    const values = new Map<string, Map<string, number>>()
    const labels = new Map<string, Map<string, ReadonlyMap<string, string>>>()
    for (const name of this.#names) {
      const samples = (metrics.get(name) ?? []).filter(({ value }) => Number.isFinite(value))
      values.set(name, new Map(samples.map(({ series, value }) => [series, value])))
      labels.set(name, new Map(samples.map((sample) => [sample.series, sample.labels])))
    }
    this.#points.push({ atMs, values, labels })
    this.#points = this.#points
      .filter((point) => atMs - point.atMs <= keptMs && point.atMs <= atMs)
      .slice(-pointsMax)
  }

  /**
   * Per series, the rate over at most `windowMs`, but over two points at least. Empty before the
   * second point. A series that appears between two points began at 0.
   */
  rates(name: string, windowMs: number): Increase[] {
    const last = this.#points.at(-1)
    if (last === undefined) return []
    const from = this.#points.findIndex(({ atMs }) => last.atMs - atMs <= windowMs)
    const points = this.#points.slice(Math.max(0, Math.min(from, this.#points.length - 2)))
    const [first] = points
    if (first === undefined || points.length < 2 || last.atMs <= first.atMs) return []
    const seconds = (last.atMs - first.atMs) / 1000
    return [...(last.labels.get(name) ?? [])].map(([series, labels]) => {
      const values = points.map(({ values }) => values.get(name)?.get(series) ?? 0)
      return { labels, perSecond: increaseOf(values) / seconds }
    })
  }
}

function increaseOf(values: readonly number[]): number {
  return values.slice(1).reduce((sum, value, index) => {
    const before = values[index] ?? 0
    return sum + (value >= before ? value - before : value)
  }, 0)
}
