/**
 * Purges streams of what is committed, and reports how full they are. A stream is maintained by the
 * process that owns its first partition, so that each is maintained by one process.
 */
import type { JetStreamManager } from '@nats-io/jetstream'
import { Gauge, type Registry } from 'prom-client'
import { streamName } from '#platform/nats/stream-of-partition.ts'
import type { Pool } from '#platform/postgres.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { purgeCommitted } from './stream-purge.ts'

export interface StreamMaintenanceOptions {
  readonly manager: JetStreamManager
  readonly pg: Pool
  readonly layout: IngestLayout
  readonly registry: Registry
}

export class StreamMaintenance {
  readonly #options: StreamMaintenanceOptions
  readonly #fullRatio: Gauge

  constructor(options: StreamMaintenanceOptions) {
    this.#options = options
    this.#fullRatio = new Gauge({
      name: 'workers_stream_full_ratio',
      help: 'Share of its maximum bytes that a stream used before committed messages were purged. At 1 it refuses messages.',
      labelNames: ['stream'],
      registers: [options.registry],
    })
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
