/** Metrics of free bytes and of the time until each storage of a process is full. */
import type { Registry } from 'prom-client'
import { commonMetrics } from '#schemas/metrics/common-metrics.ts'
import type { Clock } from '../clock.ts'
import type { PeriodicTaskOptions } from '../periodic.ts'
import { within } from '../readiness/within.ts'
import { gauge } from './create-metric.ts'
import { FillForecast } from './fill-forecast.ts'
import type { LabelledGauge } from './metric-types.ts'

export interface Storage {
  /** Label of the metrics. */
  readonly folder: string
  readonly freeBytes: number
  readonly sizeBytes: number
}

/** Returns the storages that can be read now. */
export type ReadStorages = () => Promise<readonly Storage[]> | readonly Storage[]

const intervalMs = 10_000
/** A query of a store may hang while the store is away. */
const readMsMax = 5_000
const foldersMax = 1_000

export class StorageMetrics {
  readonly #free: LabelledGauge<'folder'>
  readonly #size: LabelledGauge<'folder'>
  readonly #full: LabelledGauge<'folder'>
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #sources: readonly ReadStorages[]
  /** Kept while a storage cannot be read: a short outage must not hide that it fills. */
  readonly #forecasts = new Map<string, FillForecast>()

  constructor(
    registry: Registry,
    clock: Pick<Clock, 'monotonicMs'>,
    sources: readonly ReadStorages[],
  ) {
    this.#free = gauge(registry, commonMetrics.diskFreeBytes)
    this.#size = gauge(registry, commonMetrics.diskSizeBytes)
    this.#full = gauge(registry, commonMetrics.diskFullSeconds)
    this.#clock = clock
    this.#sources = sources
  }

  get task(): PeriodicTaskOptions {
    return {
      name: 'storage_metrics',
      intervalMs,
      first: 'now',
      run: () => this.run(),
      failure: {
        code: 'storage_unknown',
        text: 'Reading the free space of a storage failed',
        level: 'debug',
      },
    }
  }

  /** Rejects if a source failed, after the others were reported. */
  async run(): Promise<void> {
    const results = await Promise.allSettled(
      this.#sources.map((read) => within(readMsMax, 'The storage', Promise.resolve().then(read))),
    )
    this.#report(results.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  /** A storage that cannot be read has no metrics, so that nobody relies on old ones. */
  #report(storages: readonly Storage[]): void {
    const atMs = this.#clock.monotonicMs()
    for (const all of [this.#free, this.#size, this.#full]) all.reset()
    for (const { folder, freeBytes, sizeBytes } of storages) {
      const forecast = this.#forecasts.get(folder) ?? new FillForecast()
      if (this.#forecasts.size < foldersMax) this.#forecasts.set(folder, forecast)
      forecast.observe(freeBytes, atMs)
      this.#free.set({ folder }, freeBytes)
      this.#size.set({ folder }, sizeBytes)
      this.#full.set({ folder }, forecast.secondsUntilFull)
    }
  }
}
