/**
 * Purges streams of what is committed, and reports how full they are. A stream is maintained by the
 * process that owns its first partition, so that each is maintained by one process.
 */
import type { JetStreamManager } from '@nats-io/jetstream'
import type { Registry } from 'prom-client'
import { gauge } from '#platform/metrics/create-metric.ts'
import type { LabelledGauge } from '#platform/metrics/metric-types.ts'
import { streamName } from '#platform/nats/stream-of-partition.ts'
import type { Pool } from '#platform/postgres.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { upkeepMetrics } from '#schemas/metrics/upkeep-metrics.ts'
import { purgeCommitted } from './stream-purge.ts'

export interface StreamMaintenanceOptions {
  readonly manager: JetStreamManager
  readonly pg: Pool
  readonly layout: IngestLayout
  readonly registry: Registry
}

export class StreamMaintenance {
  readonly #options: StreamMaintenanceOptions
  readonly #fullRatio: LabelledGauge<'stream'>

  constructor(options: StreamMaintenanceOptions) {
    this.#options = options
    this.#fullRatio = gauge(options.registry, upkeepMetrics.streamFullRatio)
  }

  /** One round. To be called every few seconds; rounds must not overlap. */
  async run(ownedPartitions: readonly number[]): Promise<void> {
    const { manager, pg, layout } = this.#options
    const indices = ownedPartitions
      .map((partition) => partition - layout.first)
      .filter((index) => index < layout.streams)
    // A stream that another process maintains now is reported by that process.
    this.#fullRatio.reset()
    await Promise.all(
      indices.map(async (index) => {
        const { fullRatio } = await purgeCommitted(manager, pg, { index, layout })
        this.#fullRatio.set({ stream: streamName(index, layout) }, fullRatio)
      }),
    )
  }
}
