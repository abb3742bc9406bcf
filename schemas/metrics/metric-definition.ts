/**
 * One metric as the catalogue describes it. Code creates metrics only from definitions
 * (platform/metrics/), and the documentation, the Prometheus rules and the Grafana dashboard are
 * generated from them.
 */
export interface MetricDefinition {
  /** Snake case, with the unit at the end; counters end in `_total`. */
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Whole sentences: what is measured, in which unit, and what a high value means. */
  readonly help: string
  /** Every sample has all of them. Each has few values: see `labelHelp`. */
  readonly labels: readonly string[]
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[]
  /** Only some processes have it, for the reason that the text names. */
  readonly optional?: string
}

/** Names of the labels of a definition. */
export type LabelOf<Definition extends MetricDefinition> = Definition['labels'][number]

export interface CounterDefinition extends MetricDefinition {
  readonly type: 'counter'
}

export interface GaugeDefinition extends MetricDefinition {
  readonly type: 'gauge'
}

export interface HistogramDefinition extends MetricDefinition {
  readonly type: 'histogram'
  readonly buckets: readonly number[]
}

/** Definitions of one process by the name that code uses. */
export type MetricDefinitions = Readonly<Record<string, MetricDefinition>>
