/**
 * The worker process: JetStream in, ClickHouse and Postgres out, and everything that runs on a
 * schedule. Only wiring.
 */
import { availableParallelism } from 'node:os'
import { systemClock } from '#platform/clock.ts'
import { readEnvOrExit } from '#platform/env.ts'
import { startOpsServer } from '#platform/http/ops-server.ts'
import { createLogger } from '#platform/logger.ts'
import { PeriodicTasks } from '#platform/periodic.ts'
import { runService, type Service } from '#platform/run-service.ts'
import { SecretBox } from '#platform/secret-box.ts'
import { connectWorker, disconnectWorker } from './connect.ts'
import { DigestPool } from './digest/digest-pool.ts'
import { startWorkerJobs } from './jobs/worker-jobs.ts'
import { createWorkerMetrics } from './metrics.ts'
import { missingDependencies } from './missing-dependencies.ts'
import { MonitorClock } from './monitors/monitor-clock.ts'
import { PostgresMonitorTicks } from './monitors/monitor-ticks.ts'
import { createPartitionOwner } from './ownership/create-partition-owner.ts'
import { workerTasks } from './periodic-tasks.ts'
import { streamGraceMs } from './removals/stream-passed-store.ts'
import { lastSeqOf } from './stream/partition-end.ts'

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
  'RETENTION_DAYS',
  'MAIL_FROM',
  'API_URL',
  'SLUICE_SECRET',
  'SLUICE_SECRET_PREVIOUS',
])
const log = createLogger('workers', env.LOG_LEVEL)
const clock = systemClock

async function start(): Promise<Service> {
  const metrics = createWorkerMetrics()
  const { registry } = metrics
  const connections = await connectWorker(env, log)
  const { pg, jobPg, clickhouse, nats, manager, layout } = connections
  const retentionDays = env.RETENTION_DAYS

  const digestPool = new DigestPool({ threadCount: env.WORKERS_THREADS || availableParallelism() })
  const monitorClock = new MonitorClock({
    ticks: new PostgresMonitorTicks(pg, layout.partitions),
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
    log,
  })
  owner.start(clock)

  const draining = new AbortController()
  const { signal } = draining
  const jobs = await startWorkerJobs({
    pg,
    jobPg,
    clickhouse,
    clock,
    log,
    metrics,
    retentionDays,
    sender: env.MAIL_FROM,
    ends: {
      partitionCount: layout.partitions,
      lastSeq: (partition) => lastSeqOf(manager, layout, partition),
      graceMs: streamGraceMs,
    },
    signal,
  })

  const periodic = new PeriodicTasks({ clock, log, registry })
  const notifications = {
    pg,
    box: SecretBox.fromEnv(env),
    apiUrl: env.API_URL,
    mailFrom: env.MAIL_FROM,
  }
  const tasks = workerTasks({ connections, owner, metrics, notifications, clock, log })
  const streamCheck = periodic.start(tasks.streamCheck)
  for (const task of tasks.others) periodic.start(task)
  void (async () => {
    // Lost frames are easiest to detect before new frames have replaced them.
    for await (const { type } of nats.status()) {
      if (type === 'reconnect' || type === 'disconnect') monitorClock.unsettle()
      if (type === 'reconnect') void streamCheck.run()
    }
  })()

  const ops = await startOpsServer({
    host: env.WORKERS_HOST,
    port: env.WORKERS_PORT,
    registry,
    missing: () => missingDependencies(connections, owner),
  })
  return {
    drain: async () => {
      await periodic.stop()
      ops.close()
      await owner.close()
      draining.abort()
      await jobs.stop()
      await digestPool.close()
      await disconnectWorker(connections)
    },
  }
}

await runService('workers', log, start)
