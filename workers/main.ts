/**
 * The worker process: JetStream in, ClickHouse and Postgres out, and everything that runs on a
 * schedule. Only wiring.
 */

import { availableParallelism } from 'node:os'
import { systemClock } from '#platform/clock.ts'
import { CorrectedClock } from '#platform/clock-check/corrected-clock.ts'
import { readEnvOrExit, retentionDaysOf, retentionNames } from '#platform/env.ts'
import { startOpsServer } from '#platform/http/ops-server.ts'
import { withoutSlashes } from '#platform/http/url-below.ts'
import { createLogger } from '#platform/logger.ts'
import { folderStorage } from '#platform/metrics/folder-storage.ts'
import { startProcessMetrics } from '#platform/metrics/process-metrics.ts'
import { objectStoreNames, openObjectStore } from '#platform/objects/open-object-store.ts'
import { PeriodicTasks } from '#platform/periodic.ts'
import { Outages } from '#platform/readiness/outages.ts'
import { runService, type Service } from '#platform/run-service.ts'
import { SecretBox } from '#platform/secret-box.ts'
import { warnUnsetAddresses } from '#platform/warn-unset-addresses.ts'
import { connectWorker, disconnectWorker } from './connect.ts'
import { deliverySettings } from './deliveries/delivery-settings.ts'
import { DigestPool } from './digest/digest-pool.ts'
import { startWorkerJobs } from './jobs/worker-jobs.ts'
import { createWorkerMetrics } from './metrics.ts'
import { MonitorClock } from './monitors/monitor-clock.ts'
import { PostgresMonitorTicks } from './monitors/monitor-ticks.ts'
import { readEventPayload } from './notifications/email/event-payload-store.ts'
import { createSendAlertEmail } from './notifications/email/send-alert-email.ts'
import { createPartitionOwner } from './ownership/create-partition-owner.ts'
import { workerTasks } from './periodic-tasks.ts'
import { PlaceFile } from './places/place-file.ts'
import { workerReadiness } from './readiness.ts'
import { streamGraceMs } from './removals/stream-passed-store.ts'
import { answerRequests } from './requests/answer-requests.ts'
import { RequestPool } from './requests/request-pool.ts'
import { lastSeqOf } from './stream/partition-end.ts'
import { clickHouseStorage, jetStreamStorage, storesOfOwner } from './upkeep/storage-store.ts'

const env = readEnvOrExit([
  'LOG_LEVEL',
  'POSTGRES_URL',
  'NATS_URL',
  'CLICKHOUSE_URL',
  'INGEST_PARTITIONS',
  'INGEST_STREAMS',
  'INGEST_STREAM_BYTES_MAX',
  'INGEST_STREAM_REPLICAS',
  'WORKERS_HOST',
  'WORKERS_PORT',
  'WORKERS_THREADS',
  'GEOIP_FILE',
  ...retentionNames,
  ...objectStoreNames,
  'MAIL_FROM',
  'API_URL',
  'SLUICE_SECRET',
  'SLUICE_SECRET_PREVIOUS',
  'WEBHOOK_ALLOWED_NETWORKS',
  'TELEGRAM_URL',
  'PAGERDUTY_URL',
  'OPSGENIE_URL',
])
const outages = new Outages()
const log = createLogger('workers', env.LOG_LEVEL, { logMethod: outages.logMethod })
const clock = new CorrectedClock(systemClock)

async function start(): Promise<Service> {
  warnUnsetAddresses({ API_URL: env.API_URL }, log)
  const metrics = createWorkerMetrics()
  const { registry } = metrics
  const connections = await connectWorker(env, log)
  const { pg, jobPg, clickhouse, nats, manager, layout, installation } = connections
  const retentionDays = env.RETENTION_DAYS

  const { GEOIP_FILE: path } = env
  const placeFile =
    path === undefined ? undefined : new PlaceFile(path, { clock: systemClock, log })
  const places = () => placeFile?.places
  const threadCount = env.WORKERS_THREADS || availableParallelism()
  const digestPool = new DigestPool({ threadCount, places })
  const monitorClock = new MonitorClock({
    ticks: new PostgresMonitorTicks(pg, layout),
    clock,
    lastSeq: (partition) => lastSeqOf(manager, layout, partition),
  })
  const owner = createPartitionOwner({
    connections,
    postgresUrl: env.POSTGRES_URL,
    retentionDays,
    digestPool,
    monitorClock,
    metrics,
    clock,
    log,
  })
  const periodic = new PeriodicTasks({ clock, log, registry })
  await startProcessMetrics({
    process: 'workers',
    installation,
    clock,
    pool: pg,
    registry,
    periodic,
    storages: [
      folderStorage('data', env.SLUICE_DATA_DIR),
      ...storesOfOwner({ owner, layout }, [
        clickHouseStorage(clickhouse),
        jetStreamStorage(manager, layout),
      ]),
    ],
    log,
  })
  owner.start(clock)
  const requestPool = new RequestPool({ places })
  const requests = answerRequests(nats, requestPool, log)

  const box = SecretBox.fromEnv(env)
  const draining = new AbortController()
  const { signal } = draining
  const jobs = await startWorkerJobs({
    pg,
    jobPg,
    clickhouse,
    clock,
    machineClock: systemClock,
    log,
    metrics,
    days: retentionDaysOf(env),
    sender: env.MAIL_FROM,
    ends: {
      layout,
      lastSeq: (partition) => lastSeqOf(manager, layout, partition),
      graceMs: streamGraceMs,
    },
    deliveries: deliverySettings(
      env,
      box,
      createSendAlertEmail({
        pg,
        box,
        apiUrl: env.API_URL,
        from: env.MAIL_FROM,
        readEventPayload: (event) => readEventPayload(clickhouse, event),
        log,
      }),
    ),
    publicUrl: withoutSlashes(env.API_URL),
    objects: await openObjectStore(env),
    signal,
  })

  const notifications = {
    pg,
    box,
    apiUrl: env.API_URL,
    mailFrom: env.MAIL_FROM,
  }
  const tasks = workerTasks({
    connections,
    owner,
    metrics,
    notifications,
    onLayoutReplaced: () => endForNewLayout(),
    clock,
    log,
  })
  const streamCheck = periodic.start(tasks.streamCheck)
  for (const task of tasks.others) periodic.start(task)
  if (placeFile !== undefined) periodic.start(placeFile.task)
  void (async () => {
    // Lost frames are easiest to detect before new frames have replaced them.
    for await (const { type } of nats.status()) {
      if (type === 'reconnect' || type === 'disconnect') monitorClock.unsettle()
      if (type === 'reconnect') void streamCheck.run()
    }
  })()

  const { readiness, closeProbes } = workerReadiness(connections, owner, { env, outages, log })
  readiness.register(registry)
  await readiness.start()
  const ops = await startOpsServer({
    host: env.WORKERS_HOST,
    port: env.WORKERS_PORT,
    registry,
    readiness,
  })
  return {
    drain: async () => {
      requests.stop()
      await periodic.stop()
      ops.close()
      readiness.stop()
      await closeProbes()
      await owner.close()
      draining.abort()
      await jobs.stop()
      await Promise.all([digestPool.close(), requestPool.close()])
      await disconnectWorker(connections)
    },
  }
}

/** Drains; the supervisor starts the process again, with the present layout. */
function endForNewLayout(): void {
  log.info(
    { code: 'layout_replaced' },
    'The number of partitions has changed; the process ends and must be started again.',
  )
  process.kill(process.pid, 'SIGTERM')
}

await runService('workers', log, start)
