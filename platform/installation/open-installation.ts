/** What every process does before anything else: waits for its databases, and makes sure that they are migrated and its own. */

import type { ClickHouseClient } from '../clickhouse.ts'
import type { Logger } from '../logger.ts'
import type { Pool } from '../postgres.ts'
import { checkClickHouseMigrations, checkPostgresMigrations } from './check-migrations.ts'
import { checkSecret } from './check-secret.ts'
import { checkClickHouseOwner, type Installation, readInstallation } from './installation.ts'
import { retryAtStart } from './retry-at-start.ts'

export interface InstallationOptions {
  readonly log: Logger
  /** SLUICE_SECRET and former ones, where the process uses it. */
  readonly secrets?: readonly [string, ...string[]]
}

/** Throws one sentence when this process must not work on that database. */
export async function openInstallation(
  pool: Pool,
  { log, secrets }: InstallationOptions,
): Promise<Installation> {
  const installation = await retryAtStart(log, 'Postgres', async () => {
    await checkPostgresMigrations(pool)
    return readInstallation(pool)
  })
  if (secrets !== undefined) {
    await retryAtStart(log, 'Postgres', () => checkSecret(pool, installation.id, secrets))
  }
  return installation
}

/** Throws one sentence when ClickHouse is not migrated or belongs to another installation. */
export async function checkClickHouse(
  clickhouse: ClickHouseClient,
  { id }: Installation,
): Promise<void> {
  await checkClickHouseMigrations(clickhouse)
  await checkClickHouseOwner(clickhouse, id)
}
