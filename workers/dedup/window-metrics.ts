import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { IdWindow } from './id-window.ts'

/**
 * Metrics of the id windows of this process by partition; removed when a partition moves to another
 * owner.
 */
export class WindowMetrics {
  readonly duplicates: Counter
  readonly lateIds: Counter
  readonly rebuildSeconds: Histogram
  readonly #ids: Gauge<'partition'>
  readonly #bytes: Gauge<'partition'>
  readonly #seconds: Gauge<'partition'>

  constructor(registry: Registry) {
    const registers = [registry]
    const gauge = (name: string, help: string) =>
      new Gauge({ name, help, registers, labelNames: ['partition'] })
    this.duplicates = new Counter({
      name: 'workers_events_duplicate_total',
      help: 'Event records dropped as duplicates.',
      registers,
    })
    this.lateIds = new Counter({
      name: 'workers_dedup_late_ids_total',
      help: 'Records that arrived too late for the window and were looked up in the rows.',
      registers,
    })
    this.rebuildSeconds = new Histogram({
      name: 'workers_dedup_rebuild_seconds',
      help: 'Seconds to read the window of a partition from the rows at a take-over.',
      buckets: [0.03, 0.1, 0.3, 1, 3, 10, 30],
      registers,
    })
    this.#ids = gauge('workers_dedup_ids', 'Ids in the window of a partition.')
    this.#bytes = gauge('workers_dedup_bytes', 'Memory of the window of a partition.')
    this.#seconds = gauge(
      'workers_dedup_window_seconds',
      'How far back a partition recognises copies: a day, less once its bound on ids is reached.',
    )
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
