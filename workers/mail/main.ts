/**
 * The mail process: sends the emails that wait in Postgres over SMTP, and records the result of
 * each. Only wiring.
 */
import { v7 as uuidv7 } from 'uuid'
import { systemClock } from '#platform/clock.ts'
import { CorrectedClock } from '#platform/clock-check/corrected-clock.ts'
import { readEnvOrExit } from '#platform/env.ts'
import { startOpsServer } from '#platform/http/ops-server.ts'
import { openInstallation } from '#platform/installation/open-installation.ts'
import { retryAtStart } from '#platform/installation/retry-at-start.ts'
import { createLogger } from '#platform/logger.ts'
import { folderStorage } from '#platform/metrics/folder-storage.ts'
import { startProcessMetrics } from '#platform/metrics/process-metrics.ts'
import { PeriodicTasks } from '#platform/periodic.ts'
import { createPool } from '#platform/postgres.ts'
import { Outages } from '#platform/readiness/outages.ts'
import { runService, type Service } from '#platform/run-service.ts'
import { SecretBox, secretsOf } from '#platform/secret-box.ts'
import { readSmtpUrl } from '#platform/smtp/smtp-settings.ts'
import { warnUnsetAddresses } from '#platform/warn-unset-addresses.ts'
import { createMailMetrics } from './mail-metrics.ts'
import { MailProcess } from './mail-process.ts'
import { mailReadiness } from './mail-readiness.ts'
import { emailQueueTask } from './queue/email-queue-metrics.ts'

const env = readEnvOrExit([
  'LOG_LEVEL',
  'POSTGRES_URL',
  'SMTP_URL',
  'SLUICE_SECRET',
  'SLUICE_SECRET_PREVIOUS',
  'MAIL_FROM',
  'MAIL_ALLOW_UNVERIFIED_FROM',
  'API_URL',
  'MAILER_HOST',
  'MAILER_PORT',
  'MAIL_CONNECTIONS_MAX',
  'MAIL_LEASE_MS',
  'MAIL_RETRY_SECONDS',
  'SLUICE_DATA_DIR',
])
const outages = new Outages()
const log = createLogger('mailer', env.LOG_LEVEL, { logMethod: outages.logMethod })
const clock = new CorrectedClock(systemClock)
const postgresConnectionsMax = 6

async function start(): Promise<Service> {
  warnUnsetAddresses({ API_URL: env.API_URL }, log)
  const settings = readSmtpUrl(env.SMTP_URL)
  const pg = createPool(
    {
      url: env.POSTGRES_URL,
      applicationName: 'sluice-mailer',
      connectionsMax: postgresConnectionsMax,
      statementTimeoutMs: 30_000,
    },
    log,
  )
  const installation = await openInstallation(pg, { log, secrets: secretsOf(env) })
  const metrics = createMailMetrics({
    connectionsOpen: () => mail.connectionsOpen,
    emailsOnWire: () => mail.emailsOnWire,
    isSmtpAway: () => mail.isSmtpAway,
  })
  const periodic = new PeriodicTasks({ clock, log, registry: metrics.registry })
  await startProcessMetrics({
    process: 'mailer',
    installation,
    clock,
    pool: pg,
    registry: metrics.registry,
    periodic,
    storages: [folderStorage('data', env.SLUICE_DATA_DIR)],
    log,
  })
  const processId = uuidv7()
  const mail = new MailProcess({
    pg,
    postgresUrl: env.POSTGRES_URL,
    processId,
    settings,
    connectionsMax: settings.connectionsMax ?? env.MAIL_CONNECTIONS_MAX,
    leaseMs: env.MAIL_LEASE_MS,
    retrySeconds: env.MAIL_RETRY_SECONDS,
    box: SecretBox.fromEnv(env),
    baseUrl: env.API_URL.replace(/\/$/, ''),
    from: env.MAIL_FROM,
    allowUnverifiedFrom: env.MAIL_ALLOW_UNVERIFIED_FROM,
    clock,
    log,
    metrics,
  })
  await retryAtStart(log, 'Postgres', () => mail.start())
  const { readiness, postgres } = mailReadiness(mail, { env, outages, log })
  readiness.register(metrics.registry)
  await readiness.start()
  periodic.start(emailQueueTask({ pg, processId, metrics }))
  const ops = await startOpsServer({
    host: env.MAILER_HOST,
    port: env.MAILER_PORT,
    registry: metrics.registry,
    readiness,
  })
  return {
    drain: async () => {
      ops.close()
      readiness.stop()
      postgres.close()
      await periodic.stop()
      await mail.drain()
      await pg.end()
    },
  }
}

await runService('mailer', log, start)
