/** Starts the ingest process, and drains it without losing what it has accepted. Only wiring. */
import { systemClock } from '#platform/clock.ts'
import { CorrectedClock } from '#platform/clock-check/corrected-clock.ts'
import { readEnvOrExit } from '#platform/env.ts'
import { holdOpsPort, startOpsServer } from '#platform/http/ops-server.ts'
import { createLogger } from '#platform/logger.ts'
import { startProcessMetrics } from '#platform/metrics/process-metrics.ts'
import { objectStoreNames } from '#platform/objects/open-object-store.ts'
import { PeriodicTasks } from '#platform/periodic.ts'
import { Outages } from '#platform/readiness/outages.ts'
import { runService, type Service } from '#platform/run-service.ts'
import { readSupervisorArguments } from '#platform/supervisor-arguments.ts'
import { keyUsageTask, layoutTask, startHotTimers } from './background-work.ts'
import { allAnswered, allDisconnected } from './drain-requests.ts'
import { createHttpServer } from './io/http-server.ts'
import { loadUws } from './io/load-uws.ts'
import { openIntake } from './open-intake.ts'
import { ingestReadiness } from './readiness.ts'
import { relaxCollector } from './relax-collector.ts'
import { storagesOf } from './storages.ts'

const drainMs = 10_000
/** A little more than the time after which uWebSockets.js closes an idle connection. */
const lingerMs = 11_500
/** No promise to a client depends on the periodic tasks. */
const periodicDrainMs = 1_000
/** For leases, the log and the connections, after the requests. */
const closeMs = 3_000

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
  ...objectStoreNames,
  'INGEST_PARTITIONS',
  'INGEST_STREAMS',
  'INGEST_STREAM_BYTES_MAX',
  'INGEST_STREAM_REPLICAS',
])
const outages = new Outages()
const log = createLogger('ingest', env.LOG_LEVEL, { logMethod: outages.logMethod })
const clock = new CorrectedClock(systemClock)

async function start(): Promise<Service> {
  const uws = loadUws()
  const intake = await openIntake(env, clock, log)
  const { ctx, metrics, keyStore } = intake
  const { registry } = metrics

  const stopTimers = startHotTimers(ctx)
  const periodic = new PeriodicTasks({
    clock,
    log,
    registry,
    drainMsMax: periodicDrainMs,
  })
  await startProcessMetrics({
    process: 'ingest',
    ...intake,
    clock,
    registry,
    periodic,
    storages: storagesOf(intake, env),
    log,
  })
  periodic.start(keyUsageTask(ctx, keyStore))
  periodic.start(layoutTask(intake.expectLayout))
  const { readiness, postgres } = ingestReadiness(intake, { env, outages, log })
  await readiness.start()

  const trustsProxies = env.INGEST_TRUSTED_PROXIES.length > 0
  const server = createHttpServer({ uws, ctx, metrics, trustsProxies, readiness })
  const port = await server.listen({
    host: env.INGEST_HOST,
    port: env.INGEST_PORT,
    access: env.INGEST_SHARE_PORT ? 'shared' : 'exclusive',
  })
  const ops = await holdOpsPort(
    { host: env.INGEST_OPS_HOST, port: env.INGEST_OPS_PORT, registry, readiness },
    log,
  )
  const { probePort } = readSupervisorArguments(process.argv.slice(2))
  const probe =
    probePort === undefined
      ? undefined
      : await startOpsServer({ host: '127.0.0.1', port: probePort, registry, readiness })
  log.info({ code: 'listening', host: env.INGEST_HOST, port }, 'Ingest accepts events.')

  return {
    drain: async ({ lingers }) => {
      ctx.load.isDraining = true
      await server.stopListening()
      // Closed first: the successor process waits for this port.
      ops.close()
      if (lingers) await allDisconnected(server, lingerMs)
      await allAnswered(ctx, drainMs, log)
      server.close()
      probe?.close()
      stopTimers()
      readiness.stop()
      postgres.close()
      await periodic.stop()
      await intake.close()
    },
  }
}

await runService('ingest', log, start, { drainMsMax: lingerMs + drainMs + closeMs })
