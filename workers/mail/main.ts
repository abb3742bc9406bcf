/**
 * The mail process: sends the emails that wait in Postgres over SMTP, and records the result of
 * each. Only wiring.
 */
import { v7 as uuidv7 } from 'uuid'
import { systemClock } from '#platform/clock.ts'
import { readEnvOrExit } from '#platform/env.ts'
import { answersInTime } from '#platform/http/answers-in-time.ts'
import { startOpsServer } from '#platform/http/ops-server.ts'
import { openInstallation } from '#platform/installation/open-installation.ts'
import { retryAtStart } from '#platform/installation/retry-at-start.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool } from '#platform/postgres.ts'
import { runService, type Service } from '#platform/run-service.ts'
import { SecretBox, secretsOf } from '#platform/secret-box.ts'
import { warnUnsetAddresses } from '#platform/warn-unset-addresses.ts'
import { createMailMetrics } from './mail-metrics.ts'
import { MailProcess } from './mail-process.ts'
import { readSmtpUrl } from './smtp/smtp-settings.ts'

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
])
const log = createLogger('mailer', env.LOG_LEVEL)
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
  await openInstallation(pg, { log, secrets: secretsOf(env) })
  const metrics = createMailMetrics({
    connectionsOpen: () => mail.connectionsOpen,
    emailsOnWire: () => mail.emailsOnWire,
  })
  const mail = new MailProcess({
    pg,
    postgresUrl: env.POSTGRES_URL,
    processId: uuidv7(),
    settings,
    connectionsMax: settings.connectionsMax ?? env.MAIL_CONNECTIONS_MAX,
    leaseMs: env.MAIL_LEASE_MS,
    retrySeconds: env.MAIL_RETRY_SECONDS,
    box: SecretBox.fromEnv(env),
    baseUrl: env.API_URL.replace(/\/$/, ''),
    from: env.MAIL_FROM,
    allowUnverifiedFrom: env.MAIL_ALLOW_UNVERIFIED_FROM,
    clock: systemClock,
    log,
    metrics,
  })
  await retryAtStart(log, 'Postgres', () => mail.start())
  const ops = await startOpsServer({
    host: env.MAILER_HOST,
    port: env.MAILER_PORT,
    registry: metrics.registry,
    missing: async () => {
      const postgres = (await answersInTime(pg.query('select 1'))) ? [] : ['postgres']
      // An unreachable mail server is no reason to restart this process: emails wait, and the log
      // says why.
      return [...postgres, ...(mail.isListening ? [] : ['notifications'])]
    },
  })
  return {
    drain: async () => {
      ops.close()
      await mail.drain()
      await pg.end()
    },
  }
}

await runService('mailer', log, start)
