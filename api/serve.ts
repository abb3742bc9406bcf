/** The process that answers: read the environment, connect, listen, drain on a signal. Only wiring; main.ts starts it. */
import { createClickHouse } from '#platform/clickhouse.ts'
import { systemClock } from '#platform/clock.ts'
import { createDnsResolver } from '#platform/dns-resolver.ts'
import { readEnvOrExit } from '#platform/env.ts'
import { fetchText } from '#platform/http-fetch.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool } from '#platform/postgres.ts'
import { runService, type Service } from '#platform/run-service.ts'
import { SecretBox } from '#platform/secret-box.ts'
import { buildApp } from './app.ts'
import { ComposePool } from './email/compose/compose-pool.ts'
import { Composer } from './email/compose/composer.ts'
import { lastReplies } from './http/last-replies.ts'
import { createClickHouseReader, createPostgres } from './io/database.ts'

const postgresConnectionsMax = 10
const drainMsMax = 15_000

const env = readEnvOrExit([
  'LOG_LEVEL',
  'POSTGRES_URL',
  'CLICKHOUSE_URL',
  'API_HOST',
  'API_PORT',
  'API_URL',
  'MAIL_FROM',
  'MAIL_SPF',
  'TRUST_PROXY_HOPS',
  'TRUSTED_PROXIES',
  'INGEST_URL',
  'MAILBOX_DIR',
  'SLUICE_SECRET',
])
const log = createLogger('api', env.LOG_LEVEL)

async function start(): Promise<Service> {
  const pool = createPool(
    {
      url: env.POSTGRES_URL,
      applicationName: 'sluice-api',
      connectionsMax: postgresConnectionsMax,
    },
    log,
  )
  const clickhouse = createClickHouse(env.CLICKHOUSE_URL, 'sluice-api')
  const composing = new ComposePool()
  composing.warmUp()
  const app = await buildApp({
    pg: createPostgres(pool),
    clickhouse: createClickHouseReader(clickhouse),
    clock: systemClock,
    composer: new Composer((task, owner) => composing.run(task, owner)),
    log,
    box: new SecretBox(env.SLUICE_SECRET),
    resolver: createDnsResolver(),
    fetchText,
    mailSpf: env.MAIL_SPF,
    trustedProxies: env.TRUSTED_PROXIES.length === 0 ? env.TRUST_PROXY_HOPS : env.TRUSTED_PROXIES,
    apiUrl: env.API_URL,
    mailFrom: env.MAIL_FROM,
    ingestUrl: env.INGEST_URL,
    mailboxDir: env.MAILBOX_DIR,
  })

  await app.listen({ host: env.API_HOST, port: env.API_PORT })
  log.info({ code: 'listening', host: env.API_HOST, port: env.API_PORT }, 'The API listens.')
  return {
    drain: async ({ lingers }) => {
      if (lingers) await lastReplies(app.server)
      await app.close()
      await Promise.all([composing.close(), pool.end(), clickhouse.close()])
    },
  }
}

await runService('api', log, start, { drainMsMax })
