/** Wires the digest of partitions to the real stores, broker and threads. */
import { v7 as uuidv7 } from 'uuid'
import { type Clock, pause } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import { readIngestStream } from '#platform/nats/ingest-streams.ts'
import type { WorkerConnections } from '../connect.ts'
import type { DigestPool } from '../digest/digest-pool.ts'
import type { WorkerMetrics } from '../metrics.ts'
import type { MonitorClock } from '../monitors/monitor-clock.ts'
import { PostgresRangeStore } from '../partitions/postgres-range-store.ts'
import { ClickHouseRowStore } from '../rows/row-store.ts'
import { PartitionOwner } from './partition-owner.ts'

export interface CreateOwnerOptions {
  readonly connections: WorkerConnections
  readonly postgresUrl: string
  readonly retentionDays: number
  readonly digestPool: DigestPool
  readonly monitorClock: MonitorClock
  readonly metrics: WorkerMetrics
  readonly clock: Clock
  readonly log: Logger
}

export function createPartitionOwner(options: CreateOwnerOptions): PartitionOwner {
  const { connections, digestPool, monitorClock, metrics, log } = options
  const { pg, clickhouse, nats, layout, streamOptions, installation } = connections
  return new PartitionOwner(
    {
      postgresUrl: options.postgresUrl,
      workerId: uuidv7(),
      layout,
      nats,
      readStream: (partition) => readIngestStream(nats, partition, streamOptions),
    },
    {
      ranges: new PostgresRangeStore(pg, layout),
      rows: new ClickHouseRowStore(clickhouse),
      clock: options.clock,
      sleep: pause,
      log,
      metrics,
      retentionDays: options.retentionDays,
      layout,
      installationMark: installation.mark,
      monitors: monitorClock,
      digest: (input, cpuMsMax) => digestPool.digest(input, cpuMsMax),
    },
  )
}
