/**
 * The connections of a worker process, opened one after the other: each waits for a server that is
 * still starting.
 */
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import type { Env } from '#platform/env.ts'
import { claimClickHouse, type Installation } from '#platform/installation/installation.ts'
import { checkClickHouse, openInstallation } from '#platform/installation/open-installation.ts'
import { retryAtStart } from '#platform/installation/retry-at-start.ts'
import type { Logger } from '#platform/logger.ts'
import { type IngestBus, openIngestBus } from '#platform/nats/open-ingest-bus.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { secretsOf } from '#platform/secret-box.ts'

type ConnectEnv = Env<
  | 'POSTGRES_URL'
  | 'CLICKHOUSE_URL'
  | 'NATS_URL'
  | 'INGEST_PARTITIONS'
  | 'INGEST_STREAMS'
  | 'INGEST_STREAM_BYTES_MAX'
  | 'INGEST_STREAM_REPLICAS'
  | 'SLUICE_SECRET'
  | 'SLUICE_SECRET_PREVIOUS'
>

export interface WorkerConnections extends IngestBus {
  readonly pg: Pool
  /**
   * Pool of the job queue. Each of its two runners keeps a connection while it listens; the others
   * are used to take jobs and to end them.
   */
  readonly jobPg: Pool
  readonly clickhouse: ClickHouseClient
  readonly manager: JetStreamManager
  readonly installation: Installation
}

const connectionsMax = 8
const jobConnectionsMax = 8
const statementTimeoutMs = 30_000

export async function connectWorker(env: ConnectEnv, log: Logger): Promise<WorkerConnections> {
  const pg = createPool(
    {
      url: env.POSTGRES_URL,
      applicationName: 'sluice-workers',
      connectionsMax,
      statementTimeoutMs,
    },
    log,
  )
  const clickhouse = createClickHouse(env.CLICKHOUSE_URL, 'sluice-workers')
  const installation = await openInstallation(pg, { log, secrets: secretsOf(env) })
  await retryAtStart(log, 'ClickHouse', async () => {
    await checkClickHouse(clickhouse, installation, log)
    await claimClickHouse(clickhouse, installation.id)
  })
  const connectionName = 'sluice-workers'
  const bus = await openIngestBus({
    env,
    connectionName,
    role: 'digester',
    installation,
    pg,
    log,
  })
  const manager = await retryAtStart(log, 'JetStream', () => jetstreamManager(bus.nats))
  const jobPg = createPool(
    {
      url: env.POSTGRES_URL,
      applicationName: 'sluice-jobs',
      connectionsMax: jobConnectionsMax,
    },
    log,
  )
  return { ...bus, pg, jobPg, clickhouse, manager, installation }
}

export async function disconnectWorker({ nats, clickhouse, pg, jobPg }: WorkerConnections) {
  await nats.close()
  await clickhouse.close()
  await Promise.all([pg.end(), jobPg.end()])
}
