/** Whether the ClickHouse database that a restore empties is the one that was meant. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { appliedInClickHouse } from '#platform/installation/applied-migrations.ts'
import { clickHouseOwner } from '#platform/installation/installation.ts'
import { BackupError } from '../backup-error.ts'
import { select } from './connection-store.ts'
import { findInterrupted } from './load-store.ts'

/**
 * Throws if the database holds tables of something else, or belongs to an installation that is
 * neither that of the Postgres database nor that of the backup: its services run on another
 * Postgres, where the restore cannot see them.
 */
export async function checkClickHouseTarget(
  clickhouse: ClickHouseClient,
  installationIds: readonly (string | undefined)[],
): Promise<void> {
  if ((await findInterrupted(clickhouse)) !== undefined) return
  if ((await appliedInClickHouse(clickhouse)) === undefined) {
    const [foreign] = await select<{ name: string }>(
      clickhouse,
      `select name from system.tables where database = currentDatabase()
         and engine like '%MergeTree' order by name limit 1`,
    )
    if (foreign === undefined) return
    throw new BackupError(
      `The ClickHouse database holds tables that are not of Sluice (${foreign.name}): set CLICKHOUSE_URL to a database of its own.`,
    )
  }
  const owner = await clickHouseOwner(clickhouse)
  if (owner === undefined || installationIds.includes(owner)) return
  throw new BackupError(
    `The ClickHouse database belongs to installation ${owner}, which neither the Postgres database nor the backup is of: set CLICKHOUSE_URL to the right database, or drop this one first.`,
  )
}
