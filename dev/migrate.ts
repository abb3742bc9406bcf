/**
 * `npm run migrate`: creates the ClickHouse database when it is missing, runs the pending
 * migrations of Postgres and ClickHouse, and exits.
 */
import { pathToFileURL } from 'node:url'
import { Logger as JobLogger, runMigrations } from 'graphile-worker'
import { createClickHouse } from '#platform/clickhouse.ts'
import { readEnv } from '#platform/env.ts'
import {
  appliedInClickHouse,
  appliedInPostgres,
} from '#platform/installation/applied-migrations.ts'
import { refuseNewer, type Store } from '#platform/installation/check-migrations.ts'
import { checkCluster } from '#platform/installation/clickhouse-cluster.ts'
import {
  checkClickHouseOwner,
  claimClickHouse,
  readInstallation,
} from '#platform/installation/installation.ts'
import {
  migrateClickHouse,
  migratePostgres,
  readMigrations,
} from '#platform/installation/migrate.ts'
import { replicatedSql } from '#platform/installation/replicated-sql.ts'
import { retryAtStart } from '#platform/installation/retry-at-start.ts'
import { createLogger, type Logger } from '#platform/logger.ts'
import { createPool } from '#platform/postgres.ts'
import { sqlIdentifier } from './engines/clickhouse-request.ts'

export interface StoreUrls {
  readonly postgresUrl: string
  readonly clickhouseUrl: string
  /** CLICKHOUSE_CLUSTER; undefined for one server. */
  readonly clickhouseCluster?: string | undefined
}

const applicationName = 'sluice-migrate'
/** A migration may rewrite a large table. */
const statementTimeoutMs = 600_000

/**
 * Migrates Postgres, then ClickHouse. Throws before it changes a database that was migrated by a
 * newer version, or a ClickHouse database that belongs to another installation than Postgres.
 */
export async function migrate(urls: StoreUrls, log: Logger): Promise<MigratedPostgres> {
  const migrated = await retryAtStart(log, 'Postgres', () =>
    migratePostgresAt(urls.postgresUrl, log),
  )
  await retryAtStart(log, 'ClickHouse', () =>
    migrateClickHouseAt(urls.clickhouseUrl, log, {
      installationId: migrated.installationId,
      cluster: urls.clickhouseCluster,
    }),
  )
  return migrated
}

interface ClickHouseMigration {
  /** Without it, the database is not marked with an owner. */
  readonly installationId?: string
  readonly cluster?: string | undefined
}

export async function migrateClickHouseAt(
  url: string,
  log: Logger,
  { installationId, cluster }: ClickHouseMigration = {},
): Promise<void> {
  await makeClickHouseDatabase(url, cluster)
  const clickhouse = createClickHouse(url, applicationName)
  try {
    await checkCluster(clickhouse, cluster)
    if (installationId !== undefined) await checkClickHouseOwner(clickhouse, installationId)
    noteNewer(
      'ClickHouse',
      await refuseNewer('ClickHouse', await appliedInClickHouse(clickhouse)),
      log,
    )
    const made = await migrateClickHouse(clickhouse, await readMigrations('clickhouse'), cluster)
    if (installationId !== undefined) {
      await claimClickHouse(clickhouse, installationId, cluster)
    }
    log.info({ code: 'clickhouse_migrated', fresh: made }, 'ClickHouse is up to date.')
  } finally {
    await clickhouse.close()
  }
}

export interface MigratedPostgres {
  /** Names of the migrations that ran now. */
  readonly fresh: string[]
  readonly installationId: string
}

export async function migratePostgresAt(url: string, log: Logger): Promise<MigratedPostgres> {
  const pool = createPool({ url, applicationName, connectionsMax: 1, statementTimeoutMs }, log)
  try {
    noteNewer('Postgres', await refuseNewer('Postgres', await appliedInPostgres(pool)), log)
    const fresh = await migratePostgres(pool, await readMigrations('postgres'))
    // graphile-worker migrates its own schema; its migrations may run concurrently.
    await runMigrations({ pgPool: pool, logger: new JobLogger(() => () => undefined) })
    log.info({ code: 'postgres_migrated', fresh }, 'Postgres is up to date.')
    return { fresh, installationId: (await readInstallation(pool)).id }
  } finally {
    await pool.end()
  }
}

function noteNewer(store: Store, newer: readonly string[], log: Logger): void {
  if (newer.length === 0) return
  log.warn(
    { code: 'database_newer', store, newer },
    `A newer version of Sluice has migrated ${store}; its migrations stay, and this version works with them.`,
  )
}

export async function makeClickHouseDatabase(
  clickhouseUrl: string,
  cluster?: string,
): Promise<void> {
  const url = new URL(clickhouseUrl)
  const database = decodeURIComponent(url.pathname.slice(1)) || 'default'
  url.pathname = '/default'
  const clickhouse = createClickHouse(url.href, applicationName)
  try {
    const found = await clickhouse.query({
      query: 'select 1 from system.databases where name = {database: String}',
      query_params: { database },
      format: 'JSONEachRow',
    })
    // A user of one database may not create any, not even one that exists.
    if ((await found.json()).length > 0) return
    const query = `create database if not exists ${sqlIdentifier(database)}`
    await clickhouse.command({
      query: cluster === undefined ? query : replicatedSql(query, cluster),
    })
  } finally {
    await clickhouse.close()
  }
}

/** Reads the environment, migrates, and sets the exit code. */
export async function main(): Promise<void> {
  try {
    const env = readEnv(['POSTGRES_URL', 'CLICKHOUSE_URL', 'CLICKHOUSE_CLUSTER', 'LOG_LEVEL'])
    const urls = {
      postgresUrl: env.POSTGRES_URL,
      clickhouseUrl: env.CLICKHOUSE_URL,
      clickhouseCluster: env.CLICKHOUSE_CLUSTER,
    }
    await migrate(urls, createLogger('migrate', env.LOG_LEVEL))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    process.stderr.write(`migrate: ${reason}\n`)
    process.exitCode = 1
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
