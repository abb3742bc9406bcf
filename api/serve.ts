/**
 * The serving process: reads the environment, connects, listens, drains on a signal. main.ts starts
 * it.
 */

import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { systemClock } from '#platform/clock.ts'
import { createDnsResolver } from '#platform/dns-resolver.ts'
import { readEnvOrExit } from '#platform/env.ts'
import { fetchText } from '#platform/http/http-fetch.ts'
import { holdOpsPort } from '#platform/http/ops-server.ts'
import { MigrationsError } from '#platform/installation/check-migrations.ts'
import { ForeignInstallationError, type Installation } from '#platform/installation/installation.ts'
import { checkClickHouse, openInstallation } from '#platform/installation/open-installation.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool } from '#platform/postgres.ts'
import { runService, type Service } from '#platform/run-service.ts'
import { SecretBox, secretsOf } from '#platform/secret-box.ts'
import { readSupervisorArguments } from '#platform/supervisor-arguments.ts'
import { buildApp } from './app.ts'
import { Composer } from './compose/composer.ts'
import { ComposePool } from './compose/pool/compose-pool.ts'
import type { ApiContext } from './context.ts'
import { createClickHouseReader, createPostgres } from './database.ts'
import { metricsOf, missingStores } from './http/health.ts'
import { lastReplies } from './http/last-replies.ts'
import { startRechecks } from './sending-domains/recheck-domains.ts'

const postgresConnectionsMax = 10
const drainMsMax = 15_000
const recheckMs = 5_000

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
  'INGEST_URL',
  'SLUICE_SECRET',
  'SLUICE_SECRET_PREVIOUS',
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
  const installation = await openInstallation(pool, { log, secrets: secretsOf(env) })
  const clickhouse = createClickHouse(env.CLICKHOUSE_URL, 'sluice-api')
  await checkClickHouseOrLater(clickhouse, installation)
  const composing = new ComposePool()
  composing.warmUp()
  const ctx: ApiContext = {
    pg: createPostgres(pool),
    clickhouse: createClickHouseReader(clickhouse),
    clock: systemClock,
    composer: new Composer((task, owner) => composing.run(task, owner)),
    log,
    box: SecretBox.fromEnv(env),
    resolver: createDnsResolver(),
    fetchText,
    mailSpf: env.MAIL_SPF,
    allowUnverifiedFrom: env.MAIL_ALLOW_UNVERIFIED_FROM,
    trustedProxies: env.TRUSTED_PROXIES.length === 0 ? env.TRUST_PROXY_HOPS : env.TRUSTED_PROXIES,
    apiUrl: env.API_URL,
    mailFrom: env.MAIL_FROM,
    ingestUrl: env.INGEST_URL,
    mailboxDir: readSupervisorArguments(process.argv.slice(2)).mailboxDir,
  }
  const app = await buildApp(ctx)

  await app.listen({ host: env.API_HOST, port: env.API_PORT })
  log.info({ code: 'listening', host: env.API_HOST, port: env.API_PORT }, 'The API is listening.')
  const { pg, resolver, mailSpf } = ctx
  const endRechecks = startRechecks({ pg, resolver, mailSpf, clock: systemClock, log })
  // After the public port, because main.ts takes the first listening port for readiness.
  const ops = await holdOpsPort(
    {
      host: env.API_OPS_HOST,
      port: env.API_OPS_PORT,
      registry: metricsOf(app),
      missing: () => missingStores(ctx),
    },
    log,
  )
  return {
    drain: async ({ lingers }) => {
      ops.close()
      if (lingers) await lastReplies(app.server)
      await Promise.all([app.close(), endRechecks()])
      await Promise.all([composing.close(), pool.end(), clickhouse.close()])
    },
  }
}

/**
 * The email and portal APIs work without ClickHouse, so the process does not wait for it. It exits
 * if ClickHouse turns out to belong to another installation or to lack migrations.
 */
async function checkClickHouseOrLater(
  clickhouse: ClickHouseClient,
  installation: Installation,
): Promise<void> {
  try {
    await checkClickHouse(clickhouse, installation)
  } catch (error) {
    if (error instanceof MigrationsError || error instanceof ForeignInstallationError) throw error
    log.warn(
      { code: 'clickhouse_away', err: error },
      'ClickHouse could not be checked; retrying in 5 s.',
    )
    setTimeout(() => void checkClickHouseOrLater(clickhouse, installation), recheckMs).unref()
  }
}

await runService('api', log, start, { drainMsMax })
