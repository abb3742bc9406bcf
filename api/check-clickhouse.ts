/**
 * The check of ClickHouse when an API process starts. The email and portal APIs work without
 * ClickHouse, so the process does not wait for it. It ends if ClickHouse turns out to belong to
 * another installation or to lack migrations.
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { MigrationsError } from '#platform/installation/check-migrations.ts'
import { ForeignInstallationError, type Installation } from '#platform/installation/installation.ts'
import { checkClickHouse } from '#platform/installation/open-installation.ts'
import type { Logger } from '#platform/logger.ts'
import type { PeriodicTasks } from '#platform/periodic.ts'

const retryMs = 5_000
const failure = { code: 'clickhouse_away', text: 'Checking ClickHouse failed' }

const isFatal = (error: unknown) =>
  error instanceof MigrationsError || error instanceof ForeignInstallationError

/** Returns whether ClickHouse was reached. Throws the errors that end the process. */
export async function checkClickHouseAtStart(
  client: ClickHouseClient,
  installation: Installation,
  log: Logger,
): Promise<boolean> {
  try {
    await checkClickHouse(client, installation, log)
    return true
  } catch (error) {
    if (isFatal(error)) throw error
    log.warn({ code: failure.code, err: error }, `${failure.text}; retrying in 5 s.`)
    return false
  }
}

/** Repeats the check until ClickHouse was reached. */
export function checkClickHouseLater(
  tasks: PeriodicTasks,
  client: ClickHouseClient,
  installation: Installation,
): void {
  const task = tasks.start({
    name: 'clickhouse_check',
    intervalMs: retryMs,
    run: async () => {
      await checkClickHouse(client, installation)
      // Not awaited, because it waits for this run.
      void task.stop()
    },
    failure,
    isFatal,
  })
}
