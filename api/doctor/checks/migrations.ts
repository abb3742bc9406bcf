/** Migrations of both databases: missing, of a newer version, or changed after they ran. */
import {
  type AppliedMigration,
  appliedInClickHouse,
  appliedInPostgres,
} from '#platform/installation/applied-migrations.ts'
import { compareMigrations, type Store } from '#platform/installation/check-migrations.ts'
import { hashOfMigration, readMigrations } from '#platform/installation/migrate.ts'
import type { Check } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'

const migrations = of('migrations')
const queryMs = 2_000

export const migrationsCheck: Check = {
  group: 'migrations',
  run: async (ctx) => {
    const [postgres, clickhouse] = await Promise.all([ctx.postgres(), ctx.clickhouse()])
    return Promise.all([
      postgres.state !== 'answers'
        ? migrations.skipped('postgres', 'Needs Postgres.')
        : compare('Postgres', () => appliedInPostgres(postgres.store.pool)),
      clickhouse.state !== 'answers'
        ? migrations.skipped('clickhouse', 'Needs ClickHouse.')
        : compare('ClickHouse', () => appliedInClickHouse(clickhouse.store, queryMs)),
    ])
  },
}

async function compare(
  store: Store,
  read: () => Promise<readonly AppliedMigration[] | undefined>,
): Promise<Finding> {
  const folder = store === 'Postgres' ? 'postgres' : 'clickhouse'
  const wanted = await readMigrations(folder)
  const applied = await read()
  const names = wanted.map(({ name }) => name)
  const { refusal, newer } = compareMigrations(store, names, applied)
  if (refusal !== undefined) {
    const [found = refusal, advice = ''] = refusal.split(/: (?=run|start)/)
    const todo = advice.charAt(0).toUpperCase() + advice.slice(1)
    return migrations.problem(folder, `${found}.`, `${todo}.`)
  }
  const changed = changedFiles(wanted, applied ?? [])
  if (changed.length > 0) {
    return migrations.problem(
      folder,
      `${store}: ${changed.join(', ')} ran with another content than this version has.`,
      'Start the version of Sluice that migrated this database, or restore the file that was edited.',
    )
  }
  if (newer.length > 0) {
    return migrations.warning(
      folder,
      `A newer version has migrated ${store} (${newer.join(', ')}); this version works with it.`,
      'Finish the upgrade: start every process with the newer version.',
    )
  }
  return migrations.ok(folder, `${store} has all ${names.length} migrations.`)
}

function changedFiles(
  wanted: readonly { name: string; sql: string }[],
  applied: readonly AppliedMigration[],
): string[] {
  const hashes = new Map(wanted.map(({ name, sql }) => [name, hashOfMigration(sql)]))
  return applied
    .filter(({ name, sha256 }) => hashes.has(name) && hashes.get(name) !== sha256)
    .map(({ name }) => name)
}
