/**
 * Waits for the databases when a process starts, and checks that they are migrated and belong to
 * this installation.
 */

import type { ClickHouseClient } from '../clickhouse.ts'
import type { Logger } from '../logger.ts'
import type { Pool } from '../postgres.ts'
import { checkClickHouseMigrations, checkPostgresMigrations } from './check-migrations.ts'
import { checkPooling } from './check-pooling.ts'
import { checkSecret } from './check-secret.ts'
import { checkClickHouseOwner, type Installation, readInstallation } from './installation.ts'
import { retryAtStart } from './retry-at-start.ts'

export interface InstallationOptions {
  readonly log: Logger
  /** SLUICE_SECRET and previous secrets, if the process uses them. */
  readonly secrets?: readonly [string, ...string[]]
}

/** Throws an error with one sentence if this process cannot use the databases. */
export async function openInstallation(
  pool: Pool,
  { log, secrets }: InstallationOptions,
): Promise<Installation> {
  const installation = await retryAtStart(log, 'Postgres', async () => {
    if (pool.options.max > 1) await checkPooling(pool)
    await checkPostgresMigrations(pool, log)
    return readInstallation(pool)
  })
  if (secrets !== undefined) {
    await retryAtStart(log, 'Postgres', () => checkSecret(pool, installation.id, secrets))
  }
  return installation
}

/**
 * Throws an error with one sentence if ClickHouse is not migrated or belongs to another
 * installation.
 */
export async function checkClickHouse(
  clickhouse: ClickHouseClient,
  { id }: Installation,
  log?: Logger,
): Promise<void> {
  await checkClickHouseMigrations(clickhouse, log)
  await checkClickHouseOwner(clickhouse, id)
}
