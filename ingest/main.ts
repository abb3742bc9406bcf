/** Starts the ingest process and shuts it down without losing accepted events. Wiring only. */
import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { systemClock } from '#platform/clock.ts'
import { readEnvOrExit } from '#platform/env.ts'
import { proxyList } from '#platform/http/forwarded-address.ts'
import { holdOpsPort, startOpsServer } from '#platform/http/ops-server.ts'
import { ForeignInstallationError, noteLayout } from '#platform/installation/installation.ts'
import { openInstallation } from '#platform/installation/open-installation.ts'
import { retryAtStart } from '#platform/installation/retry-at-start.ts'
import { createLogger } from '#platform/logger.ts'
import { ensureIngestStreams } from '#platform/nats/ingest-streams.ts'
import { connectNats } from '#platform/nats/nats.ts'
import { readNatsUrls } from '#platform/nats/nats-urls.ts'
import { createPool } from '#platform/postgres.ts'
import { runService, type Service } from '#platform/run-service.ts'
import { readSupervisorArguments } from '#platform/supervisor-arguments.ts'
import { createIngest } from './create-ingest.ts'
import { createHttpServer } from './io/http-server.ts'
import { loadUws } from './io/load-uws.ts'
import { NatsTransport } from './io/nats-transport.ts'
import { KeyListener } from './keys/key-listener.ts'
import { PostgresKeyStore } from './keys/postgres-key-store.ts'
import { IngestMetrics } from './metrics.ts'
import { PostgresQuotaStore } from './quota/postgres-quota-store.ts'
import { RareLog } from './rare-log.ts'
import { relaxCollector } from './relax-collector.ts'
import { DeliveryStore } from './wal/delivery-store.ts'
import { DiskWalStore } from './wal/disk-wal-store.ts'
import { isKnownInstance } from './wal/known-instance.ts'
import { logLeftAlone, logWalNotification } from './wal/wal-notification.ts'

const sweepEveryMs = 50
/** Records wait for the previous frame's acknowledgement, but at most for this time. */
const sealEveryMs = 500
const quotaTickEveryMs = 100
const keyUsageEveryMs = 5_000
const readyProbeEveryMs = 2_000
const drainMs = 10_000
/** Slightly longer than uWebSockets.js keeps an idle connection. */
const lingerMs = 11_500
const troubleLogEveryMs = 5_000

relaxCollector()
const env = readEnvOrExit([
  'LOG_LEVEL',
  'POSTGRES_URL',
  'NATS_URL',
  'INGEST_HOST',
  'INGEST_PORT',
  'INGEST_SHARE_PORT',
  'INGEST_OPS_HOST',
  'INGEST_OPS_PORT',
  'INGEST_TRUSTED_PROXIES',
  'INGEST_ACK_TIMEOUT_MS',
  'INGEST_DURABILITY',
  'INGEST_LOG_DIR',
  'INGEST_LOG_BYTES_MAX',
  'SLUICE_DATA_DIR',
  'INGEST_PARTITIONS',
  'INGEST_STREAMS',
  'INGEST_STREAM_BYTES_MAX',
  'INGEST_STREAM_REPLICAS',
])
const log = createLogger('ingest', env.LOG_LEVEL)

// A full stream refuses every frame repeatedly, so these log lines are rate limited.
const refusals = new RareLog(log, systemClock, troubleLogEveryMs)
const walErrors = new RareLog(log, systemClock, troubleLogEveryMs)
const walTroubleText = 'Maintenance of the write-ahead log failed; retrying.'

async function start(): Promise<Service> {
  const uws = loadUws()

  const pool = createPool(
    { url: env.POSTGRES_URL, applicationName: 'sluice-ingest', connectionsMax: 4 },
    log,
  )
  const installation = await openInstallation(pool, { log })
  const servers = readNatsUrls(env.NATS_URL).servers.join(', ')
  const nats = await retryAtStart(log, `NATS at ${servers}`, () =>
    connectNats(env.NATS_URL, 'sluice-ingest'),
  ).catch((cause: Error) => {
    throw new Error(`NATS at ${servers} cannot be used: ${cause.message}`, { cause })
  })
  const asked = { partitions: env.INGEST_PARTITIONS, streams: env.INGEST_STREAMS }
  const { layout } = await retryAtStart(log, 'JetStream', () =>
    ensureIngestStreams(nats, {
      ...asked,
      installationId: installation.id,
      bytesMax: env.INGEST_STREAM_BYTES_MAX,
      replicas: env.INGEST_STREAM_REPLICAS,
    }),
  )
  await retryAtStart(log, 'Postgres', () => noteLayout(pool, { asked, found: layout }, log))
  const keyStore = new PostgresKeyStore(pool)
  const transport = new NatsTransport(nats, layout.streams)
  const quotaStore = new PostgresQuotaStore(pool)
  const instanceId = randomBytes(16).toString('hex')
  const opened = await openWal(instanceId)
  const ctx = createIngest({
    clock: systemClock,
    instanceId,
    installationMark: installation.mark,
    durability: env.INGEST_DURABILITY,
    delivery: opened && {
      ...opened,
      source: new DeliveryStore({
        pool,
        nats,
        layout,
        settleInstance: (deadInstanceId) => quotaStore.settleInstance(deadInstanceId),
      }),
      logBytesMax: env.INGEST_LOG_BYTES_MAX,
      onNotification: (notification) => logWalNotification(log, notification),
      onError: (error) => walErrors.warn({ code: 'log_trouble', err: error }, walTroubleText),
    },
    keyStore,
    quotaStore,
    transport,
    partitionCount: layout.partitions,
    ackTimeoutMs: env.INGEST_ACK_TIMEOUT_MS,
    isTrustedProxy: proxyList(env.INGEST_TRUSTED_PROXIES),
    onTrouble: (answer) =>
      refusals.warn(
        { code: 'frame_refused', answer },
        'The broker refused frames; they will be resent.',
      ),
    onError: (error) => log.error({ code: 'request_failed', err: error }, 'A request failed.'),
    onQuotaTurn: (isAway, error) => {
      if (isAway)
        log.warn(
          { code: 'quota_away', err: error },
          'Postgres is away; events are charged to the quota allowance.',
        )
      else log.info({ code: 'quota_back' }, 'Postgres is back; quota is leased again.')
    },
  })
  transport.start({
    onAnswer: (token, answer) => ctx.courier.receive(token, answer),
    onReconnect: () => {
      log.info({ code: 'nats_reconnected' }, 'NATS connection restored.')
      ctx.courier.resendAll()
    },
    onDisconnect: () =>
      log.warn(
        { code: 'nats_lost' },
        'NATS connection lost; frames are kept until it is restored.',
      ),
  })
  const listener = new KeyListener({
    pool,
    log,
    onChange: (publicKey) => void ctx.keys.refresh(publicKey),
    onConnect: () => ctx.keys.expireAll(),
  })
  listener.start()

  let postgresAnswers = await keyStore.ping()
  const timers = [
    setInterval(() => {
      ctx.courier.sweep()
      ctx.batcher.sweep()
      ctx.load.sweep()
      ctx.walKeeper?.tick()
    }, sweepEveryMs),
    setInterval(() => {
      ctx.quota.tick()
      ctx.releasedIds.tick()
    }, quotaTickEveryMs),
    setInterval(() => ctx.batcher.flush(), sealEveryMs),
    setInterval(() => {
      const used = ctx.keyUsage.take(systemClock.monotonicMs())
      keyStore.markUsed(used).catch((error: unknown) => {
        ctx.keyUsage.putBack(used)
        log.debug({ code: 'key_usage_not_written', err: error }, 'Key usage was not written.')
      })
    }, keyUsageEveryMs),
    setInterval(async () => {
      postgresAnswers = await keyStore.ping()
    }, readyProbeEveryMs),
  ]

  const metrics = new IngestMetrics()
  metrics.watchProcess()
  metrics.watch(ctx)
  if (opened !== undefined) metrics.watchWals(opened.store)
  const notReady = () => [
    ...(transport.isConnected() ? [] : ['nats']),
    ...(postgresAnswers ? [] : ['postgres']),
    ...(ctx.load.isDraining ? ['draining'] : []),
  ]
  const server = createHttpServer({
    uws,
    ctx,
    metrics,
    trustsProxies: env.INGEST_TRUSTED_PROXIES.length > 0,
    notReady,
  })
  const port = await server.listen({
    host: env.INGEST_HOST,
    port: env.INGEST_PORT,
    access: env.INGEST_SHARE_PORT ? 'shared' : 'exclusive',
  })
  const { registry } = metrics
  const missing = async () => notReady()
  const ops = await holdOpsPort(
    { host: env.INGEST_OPS_HOST, port: env.INGEST_OPS_PORT, registry, missing },
    log,
  )
  const { probePort } = readSupervisorArguments(process.argv.slice(2))
  const probe =
    probePort === undefined
      ? undefined
      : await startOpsServer({ host: '127.0.0.1', port: probePort, registry, missing })
  log.info({ code: 'listening', host: env.INGEST_HOST, port }, 'Ingest accepts events.')

  return {
    drain: async ({ lingers }) => {
      ctx.load.isDraining = true
      server.stopListening()
      // Closed first: the successor process waits for this port.
      ops.close()
      if (lingers) await disconnected(lingerMs)
      await answered(drainMs)
      server.close()
      probe?.close()
      for (const timer of timers) clearInterval(timer)
      await ctx.quota.drain()
      await ctx.walKeeper?.close()
      await ctx.wal?.close()
      await listener.stop()
      await keyStore.markUsed(ctx.keyUsage.take(Number.POSITIVE_INFINITY)).catch(() => undefined)
      await Promise.allSettled([nats.drain(), pool.end()])
    },
  }

  /** Creates this process's folder for its write-ahead log. */
  async function openWal(instanceId: string) {
    const former = resolve(env.SLUICE_DATA_DIR, 'ingest-log')
    const base = resolve(env.INGEST_LOG_DIR ?? join(former, installation.id))
    const store = new DiskWalStore({
      base,
      clock: systemClock,
      installationId: installation.id,
      ...(env.INGEST_LOG_DIR === undefined ? { formerBase: former } : {}),
      isOwnInstance: (instanceId) => isKnownInstance(pool, instanceId),
      onLeftAlone: (left) => logLeftAlone(log, left, installation.id),
    })
    try {
      return { store, folder: await store.create(instanceId) }
    } catch (cause) {
      if (cause instanceof ForeignInstallationError) throw cause
      const reason = cause instanceof Error ? cause.message : String(cause)
      const text = `the write-ahead log folder ${base} cannot be written: ${reason}; set INGEST_LOG_DIR`
      if (env.INGEST_DURABILITY === 'log') throw new Error(text)
      log.error({ code: 'log_missing' }, `Running without a write-ahead log: ${text}`)
      return undefined
    }
  }

  /** Resolves when every connection was closed, by its last reply or by idling, or at the timeout. */
  async function disconnected(timeoutMs: number): Promise<void> {
    const deadlineMs = systemClock.monotonicMs() + timeoutMs
    while (server.connectionCount > 0 && systemClock.monotonicMs() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /** Resolves when all requests are answered and all frames acknowledged, or at the timeout. */
  async function answered(timeoutMs: number): Promise<void> {
    const deadlineMs = systemClock.monotonicMs() + timeoutMs
    while (systemClock.monotonicMs() < deadlineMs) {
      ctx.batcher.flush()
      if (ctx.load.requestCount === 0 && ctx.courier.unpassedCount === 0) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    log.warn(
      { code: 'drain_cut', requests: ctx.load.requestCount, frames: ctx.courier.frameCount },
      'Drain timed out with pending requests or frames.',
    )
  }
}

await runService('ingest', log, start, { drainMsMax: lingerMs + drainMs + 3_000 })
