/** Creates metrics from their definitions in the catalogue (schemas/metrics/). */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type {
  CounterDefinition,
  GaugeDefinition,
  HistogramDefinition,
  LabelOf,
  MetricDefinition,
} from '#schemas/metrics/metric-definition.ts'
import type { CounterOf, GaugeOf, HistogramOf } from './metric-types.ts'

/** A registry with the default metrics of Node. */
export function createRegistry(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

/**
 * @param read called at each scrape, to set the samples. It must do no I/O.
 */
export function counter<const Definition extends CounterDefinition>(
  registry: Registry,
  definition: Definition,
  read?: (counter: CounterOf<LabelOf<Definition>>) => void,
): CounterOf<LabelOf<Definition>> {
  const created = new Counter({
    ...configuration(registry, definition),
    ...(read && {
      collect() {
        created.reset()
        read(created as unknown as CounterOf<LabelOf<Definition>>)
      },
    }),
  }) as Counter
  return created as unknown as CounterOf<LabelOf<Definition>>
}

/**
 * @param read called at each scrape, to set the samples. It must do no I/O.
 */
export function gauge<const Definition extends GaugeDefinition>(
  registry: Registry,
  definition: Definition,
  read?: (gauge: GaugeOf<LabelOf<Definition>>) => void,
): GaugeOf<LabelOf<Definition>> {
  const created = new Gauge({
    ...configuration(registry, definition),
    ...(read && {
      collect() {
        read(created as unknown as GaugeOf<LabelOf<Definition>>)
      },
    }),
  }) as Gauge
  return created as unknown as GaugeOf<LabelOf<Definition>>
}

export function histogram<const Definition extends HistogramDefinition>(
  registry: Registry,
  definition: Definition,
): HistogramOf<LabelOf<Definition>> {
  const { buckets } = definition
  const created = new Histogram({
    ...configuration(registry, definition),
    buckets: [...buckets],
  })
  return created as unknown as HistogramOf<LabelOf<Definition>>
}

/** The gauge of this definition in the registry, created at the first call. */
export function sharedGauge<const Definition extends GaugeDefinition>(
  registry: Registry,
  definition: Definition,
): GaugeOf<LabelOf<Definition>> {
  const existing = registry.getSingleMetric(definition.name)
  if (existing === undefined) return gauge(registry, definition)
  return existing as unknown as GaugeOf<LabelOf<Definition>>
}

function configuration(registry: Registry, { name, help, labels }: MetricDefinition) {
  return { name, help, labelNames: [...labels], registers: [registry] }
}
