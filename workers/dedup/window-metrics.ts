import type { Registry } from 'prom-client'
import { counter, gauge, histogram } from '#platform/metrics/create-metric.ts'
import type { LabelledGauge, PlainCounter, PlainHistogram } from '#platform/metrics/metric-types.ts'
import { workerMetrics } from '#schemas/metrics/worker-metrics.ts'
import type { IdWindow } from './id-window.ts'

/**
 * Metrics of the id windows of this process by partition; removed when a partition moves to another
 * owner.
 */
export class WindowMetrics {
  readonly duplicates: PlainCounter
  readonly lateIds: PlainCounter
  readonly rebuildSeconds: PlainHistogram
  readonly #ids: LabelledGauge<'partition'>
  readonly #bytes: LabelledGauge<'partition'>
  readonly #seconds: LabelledGauge<'partition'>

  constructor(registry: Registry) {
    this.duplicates = counter(registry, workerMetrics.duplicates)
    this.lateIds = counter(registry, workerMetrics.lateIds)
    this.rebuildSeconds = histogram(registry, workerMetrics.rebuildSeconds)
    this.#ids = gauge(registry, workerMetrics.windowIds)
    this.#bytes = gauge(registry, workerMetrics.windowBytes)
    this.#seconds = gauge(registry, workerMetrics.windowSeconds)
  }

  observe(partition: number, window: IdWindow): void {
    this.#ids.set({ partition }, window.size)
    this.#bytes.set({ partition }, window.byteLength)
    this.#seconds.set({ partition }, window.lengthSeconds)
  }

  remove(partition: number): void {
    for (const gauge of [this.#ids, this.#bytes, this.#seconds]) gauge.remove({ partition })
  }
}
