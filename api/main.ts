/** The API process. Only wiring: read the environment, connect, listen, drain on a signal. */
import closeWithGrace from 'close-with-grace'
import { createClickHouse } from '#platform/clickhouse.ts'
import { systemClock } from '#platform/clock.ts'
import { readEnv } from '#platform/env.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool } from '#platform/postgres.ts'
import { buildApp } from './app.ts'
import { createClickHouseReader, createPostgres } from './io/database.ts'

const postgresConnectionsMax = 10
const drainTimeoutMs = 15_000

async function main(): Promise<void> {
  const env = readEnv([
    'LOG_LEVEL',
    'POSTGRES_URL',
    'CLICKHOUSE_URL',
    'API_HOST',
    'API_PORT',
    'API_URL',
    'MAILBOX_DIR',
  ])
  const log = createLogger('api', env.LOG_LEVEL)
  const pool = createPool(
    {
      url: env.POSTGRES_URL,
      applicationName: 'sluice-api',
      connectionsMax: postgresConnectionsMax,
    },
    log,
  )
  const clickhouse = createClickHouse(env.CLICKHOUSE_URL, 'sluice-api')
  const app = await buildApp({
    pg: createPostgres(pool),
    clickhouse: createClickHouseReader(clickhouse),
    clock: systemClock,
    log,
    apiUrl: env.API_URL,
    mailboxDir: env.MAILBOX_DIR,
  })

  closeWithGrace({ delay: drainTimeoutMs, logger: false }, async ({ err, signal }) => {
    if (err) log.fatal({ code: 'api_crashed', err }, 'The API met an error that nobody handled.')
    else log.info({ code: 'api_draining', signal }, 'The API finishes what it has begun.')
    await app.close()
    await Promise.all([pool.end(), clickhouse.close()])
  })
  await app.listen({ host: env.API_HOST, port: env.API_PORT })
  log.info({ code: 'api_listening', host: env.API_HOST, port: env.API_PORT }, 'The API listens.')
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
