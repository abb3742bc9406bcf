/** Gauges of the deliveries of all organizations, which one worker process reports. */
import type { Registry } from 'prom-client'
import type { Clock } from '#platform/clock.ts'
import { gauge } from '#platform/metrics/create-metric.ts'
import type { PeriodicTaskOptions } from '#platform/periodic.ts'
import type { Pool } from '#platform/postgres.ts'
import { deliveryMetrics } from '#schemas/metrics/delivery-metrics.ts'
import { countDeliveries } from './delivery-count-store.ts'

const intervalMs = 15_000

export interface DeliveryGaugesOptions {
  readonly registry: Registry
  readonly pg: Pool
  readonly clock: Clock
  /** Whether this process owns the first partition. */
  readonly isOwner: () => boolean
}

export class DeliveryGauges {
  readonly #options: DeliveryGaugesOptions
  readonly #gauges

  constructor(options: DeliveryGaugesOptions) {
    const { registry } = options
    this.#options = options
    this.#gauges = {
      pending: gauge(registry, deliveryMetrics.pending),
      lateSeconds: gauge(registry, deliveryMetrics.lateSeconds),
      targetsOpen: gauge(registry, deliveryMetrics.targetsOpen),
      targetsDisabled: gauge(registry, deliveryMetrics.targetsDisabled),
    }
  }

  get task(): PeriodicTaskOptions {
    return {
      name: 'delivery_metrics',
      intervalMs,
      run: () => this.run(),
      failure: {
        code: 'deliveries_unknown',
        text: 'Counting deliveries for the metrics failed',
        level: 'debug',
      },
    }
  }

  /** If Postgres does not respond, the last samples remain. */
  async run(): Promise<void> {
    const { pg, clock, isOwner } = this.#options
    const counts = isOwner() ? await countDeliveries(pg, new Date(clock.nowMs())) : undefined
    for (const name of ['pending', 'lateSeconds', 'targetsOpen', 'targetsDisabled'] as const) {
      this.#gauges[name].reset()
      if (counts !== undefined) this.#gauges[name].set(counts[name])
    }
  }
}
