/**
 * Looks after the streams whose first partition this process owns, so that each is looked after by one process: frees it
 * of what is committed, and says how full it is.
 */
import type { JetStreamManager } from '@nats-io/jetstream'
import { Gauge, type Registry } from 'prom-client'
import type { IngestLayout } from '#platform/nats/ingest-streams.ts'
import { streamName } from '#platform/nats/stream-of-partition.ts'
import type { Pool } from '#platform/postgres.ts'
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
      help: 'Share of its bytes that a stream used, before what is committed was dropped. At 1 it takes nothing more.',
      labelNames: ['stream'],
      registers: [options.registry],
    })
  }

  /** To be called every few seconds. */
  async tick(ownedPartitions: readonly number[]): Promise<void> {
    const { manager, pg, layout } = this.#options
    const indices = ownedPartitions.filter((partition) => partition < layout.streams)
    // What another process looks after now is that one's to report.
    this.#fullRatio.reset()
    await Promise.all(
      indices.map(async (index) => {
        const { fullRatio } = await purgeCommitted(manager, pg, { index, layout })
        this.#fullRatio.set({ stream: streamName(index, layout.streams) }, fullRatio)
      }),
    )
  }
}
