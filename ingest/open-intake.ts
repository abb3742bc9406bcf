/**
 * Connects an ingest process to Postgres, NATS and its write-ahead log, and gives the intake these
 * drivers. It listens to no port yet.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '#platform/clock.ts'
import type { Env } from '#platform/env.ts'
import { proxyList } from '#platform/http/forwarded-address.ts'
import type { Installation } from '#platform/installation/installation.ts'
import { openInstallation } from '#platform/installation/open-installation.ts'
import { retryAtStart } from '#platform/installation/retry-at-start.ts'
import type { Logger } from '#platform/logger.ts'
import type { NatsConnection } from '#platform/nats/nats.ts'
import { openIngestBus } from '#platform/nats/open-ingest-bus.ts'
import { type objectStoreNames, openObjectStore } from '#platform/objects/open-object-store.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { ByteQuota } from './attachments/byte-quota.ts'
import { postgresByteQuotaStore } from './attachments/postgres-byte-quota-store.ts'
import type { IngestContext } from './context.ts'
import { createIngest } from './create-ingest.ts'
import { NatsTransport } from './io/nats-transport.ts'
import { KeyListener } from './keys/key-listener.ts'
import { PostgresKeyStore } from './keys/postgres-key-store.ts'
import { IngestMetrics } from './metrics.ts'
import { PostgresQuotaStore } from './quota/postgres-quota-store.ts'
import { expectLayout, registerInstance, retireInstance } from './register-instance.ts'
import { reportTrouble } from './report-trouble.ts'
import { DeliveryStore } from './wal/delivery-store.ts'
import { openWal } from './wal/open-wal.ts'

export type IntakeEnv = Env<
  | 'POSTGRES_URL'
  | 'NATS_URL'
  | 'INGEST_TRUSTED_PROXIES'
  | 'INGEST_ACK_TIMEOUT_MS'
  | 'INGEST_DURABILITY'
  | 'INGEST_LOG_DIR'
  | 'INGEST_LOG_BYTES_MAX'
  | (typeof objectStoreNames)[number]
  | 'INGEST_PARTITIONS'
  | 'INGEST_STREAMS'
  | 'INGEST_STREAM_BYTES_MAX'
  | 'INGEST_STREAM_REPLICAS'
>

export interface Intake {
  readonly ctx: IngestContext
  readonly metrics: IngestMetrics
  readonly keyStore: PostgresKeyStore
  readonly nats: NatsConnection
  readonly pool: Pool
  readonly installation: Installation
  /** Undefined without a write-ahead log. */
  readonly logFolder: string | undefined
  /** Rejects with `LayoutReplacedError` when nobody reads what this process publishes. */
  expectLayout(): Promise<void>
  /**
   * To be called when no request is open any more. Gives back leases, keeps the write-ahead log,
   * ends the connections.
   */
  close(): Promise<void>
}

const postgresConnectionsMax = 4
/** A client waits for the reply. */
const objectStorePatience = { attemptsMax: 2, requestMsMax: 4_000 }

export async function openIntake(env: IntakeEnv, clock: Clock, log: Logger): Promise<Intake> {
  const pool = createPool(
    {
      url: env.POSTGRES_URL,
      applicationName: 'sluice-ingest',
      connectionsMax: postgresConnectionsMax,
    },
    log,
  )
  const installation = await openInstallation(pool, { log })
  const connectionName = 'sluice-ingest'
  const role = 'publisher'
  const bus = { env, connectionName, role, installation, pg: pool, log } as const
  const { nats, layout } = await openIngestBus(bus)
  const keyStore = new PostgresKeyStore(pool)
  const transport = new NatsTransport(nats, layout)
  const quotaStore = new PostgresQuotaStore(pool, layout)
  const instanceId = randomBytes(16).toString('hex')
  const opened = await openWal({ env, pool, installation, instanceId, log })
  // Before its first frame: workers move to the next layout when no instance uses the former one.
  await retryAtStart(log, 'Postgres', () => registerInstance(pool, instanceId, layout))
  const reports = reportTrouble(log)
  const byteQuota = new ByteQuota(postgresByteQuotaStore(pool), clock)
  const settleInstance = (deadInstanceId: string) => quotaStore.settleInstance(deadInstanceId)
  const ctx = createIngest({
    clock,
    instanceId,
    installationMark: installation.mark,
    durability: env.INGEST_DURABILITY,
    delivery: opened && {
      ...opened,
      ...reports.delivery,
      source: new DeliveryStore({ pool, nats, layout, settleInstance }),
      logBytesMax: env.INGEST_LOG_BYTES_MAX,
    },
    keyStore,
    quotaStore,
    transport,
    attachments: {
      store: await openObjectStore(env, objectStorePatience),
      quota: byteQuota,
      ...reports.objects,
    },
    layout,
    ackTimeoutMs: env.INGEST_ACK_TIMEOUT_MS,
    hearsLimitChanges: () => listener.isListening,
    isTrustedProxy: proxyList(env.INGEST_TRUSTED_PROXIES),
    ...reports.intake,
  })
  transport.start({
    onAnswer: (token, answer) => ctx.courier.receive(token, answer),
    onReconnect: () => ctx.courier.resendAll(),
  })
  const listener = new KeyListener({
    pool,
    log,
    onChange: (publicKey) => void ctx.keys.refresh(publicKey),
    onLimitChange: (projectId) => ctx.quota.limitChanged(projectId),
    onConnect: () => {
      ctx.keys.expireAll()
      ctx.quota.limitsMayHaveChanged()
    },
  })
  listener.start()
  const metrics = new IngestMetrics()
  metrics.watchProcess()
  metrics.watch(ctx, opened === undefined ? 0 : env.INGEST_LOG_BYTES_MAX)
  if (opened !== undefined) metrics.watchWals(opened.store)
  return {
    ctx,
    metrics,
    keyStore,
    nats,
    pool,
    installation,
    logFolder: opened?.store.base,
    expectLayout: () => expectLayout(pool, layout),
    close: async () => {
      await ctx.quota.drain()
      await byteQuota.drain()
      await ctx.walKeeper?.close()
      await ctx.wal?.close()
      await listener.stop()
      await keyStore.markUsed(ctx.keyUsage.take(Number.POSITIVE_INFINITY)).catch(() => undefined)
      if (opened === undefined && ctx.courier.frameCount === 0) {
        await retireInstance(pool, instanceId).catch(() => undefined)
      }
      await Promise.allSettled([nats.drain(), pool.end()])
    },
  }
}
