/**
 * The serving process: reads the environment, connects, listens, and drains on a signal. main.ts
 * starts it.
 */
import { createClickHouse } from '#platform/clickhouse.ts'
import { systemClock } from '#platform/clock.ts'
import { CorrectedClock } from '#platform/clock-check/corrected-clock.ts'
import { createDnsResolver } from '#platform/dns-resolver.ts'
import { inheritedEnv, readEnvOrExit } from '#platform/env.ts'
import { fetchText } from '#platform/http/http-fetch.ts'
import { holdOpsPort } from '#platform/http/ops-server.ts'
import { targetSettings } from '#platform/http/safe-request/target-url.ts'
import { openInstallation } from '#platform/installation/open-installation.ts'
import { createLogger } from '#platform/logger.ts'
import { folderStorage } from '#platform/metrics/folder-storage.ts'
import { startProcessMetrics } from '#platform/metrics/process-metrics.ts'
import { BusRequester } from '#platform/nats/bus-requester.ts'
import { objectStoreNames, openObjectStore } from '#platform/objects/open-object-store.ts'
import { createPool } from '#platform/postgres.ts'
import { Outages } from '#platform/readiness/outages.ts'
import { runService, type Service } from '#platform/run-service.ts'
import { SecretBox, secretsOf } from '#platform/secret-box.ts'
import { readSupervisorArguments } from '#platform/supervisor-arguments.ts'
import { warnUnsetAddresses } from '#platform/warn-unset-addresses.ts'
import { buildApp } from './app.ts'
import { checkClickHouseAtStart, checkClickHouseLater } from './check-clickhouse.ts'
import { Composer } from './compose/composer.ts'
import { ComposePool } from './compose/pool/compose-pool.ts'
import type { ApiContext } from './context.ts'
import { createClickHouseReader, createPostgres } from './database.ts'
import { metricsOf } from './http/health.ts'
import { lastReplies } from './http/last-replies.ts'
import { periodicTasksOf } from './http/periodic-tasks.ts'
import { liveHubOf } from './live/live-routes.ts'
import { findTargets } from './operation/find-targets.ts'
import { apiReadiness } from './readiness.ts'
import { recheckTask } from './sending-domains/recheck-domains.ts'
import { storeMsMax } from './store-time.ts'
import { workerAsker } from './worker-requests/ask-workers.ts'

const postgresConnectionsMax = 10
const drainMsMax = 15_000
/** A person waits for the file. */
const objectStorePatience = { attemptsMax: 2, requestMsMax: 10_000 }

const env = readEnvOrExit([
  'LOG_LEVEL',
  'POSTGRES_URL',
  'CLICKHOUSE_URL',
  'API_HOST',
  'API_PORT',
  'API_OPS_HOST',
  'API_OPS_PORT',
  'API_URL',
  'MAIL_FROM',
  'MAIL_SPF',
  'MAIL_ALLOW_UNVERIFIED_FROM',
  'TRUST_PROXY_HOPS',
  'TRUSTED_PROXIES',
  'WEBHOOK_ALLOWED_NETWORKS',
  'DNS_SERVERS',
  'INGEST_URL',
  'SLUICE_SECRET',
  'SLUICE_SECRET_PREVIOUS',
  ...objectStoreNames,
  'SLUICE_METRICS_URLS',
])
// The API can do without the bus: it only asks workers.
const natsUrl = inheritedEnv()['NATS_URL'] ? readEnvOrExit(['NATS_URL']).NATS_URL : undefined
const outages = new Outages()
const log = createLogger('api', env.LOG_LEVEL, { logMethod: outages.logMethod })
const clock = new CorrectedClock(systemClock)

async function start(): Promise<Service> {
  warnUnsetAddresses({ API_URL: env.API_URL, INGEST_URL: env.INGEST_URL }, log)
  const pool = createPool(
    {
      url: env.POSTGRES_URL,
      applicationName: 'sluice-api',
      connectionsMax: postgresConnectionsMax,
    },
    log,
  )
  const installation = await openInstallation(pool, { log, secrets: secretsOf(env) })
  const clickhouse = createClickHouse(env.CLICKHOUSE_URL, 'sluice-api', {
    requestTimeoutMs: storeMsMax,
  })
  const isClickHouseChecked = await checkClickHouseAtStart(clickhouse, installation, log)
  const { readiness, closeProbes } = apiReadiness({ env, outages, log })
  const composing = new ComposePool()
  composing.warmUp()
  const bus = natsUrl === undefined ? undefined : new BusRequester(natsUrl, 'sluice-api')
  const ctx: ApiContext = {
    pg: createPostgres(pool),
    clickhouse: createClickHouseReader(clickhouse),
    clock,
    composer: new Composer((task, owner) => composing.run(task, owner)),
    askWorkers: workerAsker(bus),
    log,
    readiness,
    box: SecretBox.fromEnv(env),
    resolver: createDnsResolver(env.DNS_SERVERS),
    fetchText,
    mailSpf: env.MAIL_SPF,
    allowUnverifiedFrom: env.MAIL_ALLOW_UNVERIFIED_FROM,
    targetSettings: targetSettings(env.WEBHOOK_ALLOWED_NETWORKS),
    trustedProxies: env.TRUSTED_PROXIES.length === 0 ? env.TRUST_PROXY_HOPS : env.TRUSTED_PROXIES,
    apiUrl: env.API_URL,
    mailFrom: env.MAIL_FROM,
    ingestUrl: env.INGEST_URL,
    operationTargets: () => findTargets(env),
    objects: await openObjectStore(env, objectStorePatience),
    mailboxDir: readSupervisorArguments(process.argv.slice(2)).mailboxDir,
  }
  const app = await buildApp(ctx)
  readiness.register(metricsOf(app))
  await readiness.start()
  const tasks = periodicTasksOf(app)
  await startProcessMetrics({
    process: 'api',
    installation,
    clock,
    pool,
    registry: metricsOf(app),
    periodic: tasks,
    storages: [folderStorage('data', env.SLUICE_DATA_DIR)],
    log,
  })

  await app.listen({ host: env.API_HOST, port: env.API_PORT })
  log.info({ code: 'listening', host: env.API_HOST, port: env.API_PORT }, 'The API is listening.')
  tasks.start(recheckTask(ctx))
  if (!isClickHouseChecked) checkClickHouseLater(tasks, clickhouse, installation)
  // After the public port, because main.ts takes the first listening port for readiness.
  const ops = await holdOpsPort(
    {
      host: env.API_OPS_HOST,
      port: env.API_OPS_PORT,
      registry: metricsOf(app),
      readiness,
    },
    log,
  )
  return {
    drain: async ({ lingers }) => {
      ops.close()
      // Their replies have no end of their own.
      liveHubOf(app).close()
      if (lingers) await lastReplies(app.server)
      await app.close()
      readiness.stop()
      await closeProbes()
      await Promise.all([composing.close(), bus?.close(), pool.end(), clickhouse.close()])
    },
  }
}

await runService('api', log, start, { drainMsMax })
