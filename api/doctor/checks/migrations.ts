/** Migrations of both databases: missing, of a newer version, or changed after they ran. */
import { createHash } from 'node:crypto'
import { compareMigrations, type Store } from '#platform/installation/check-migrations.ts'
import { readMigrations } from '#platform/installation/migrate.ts'
import { clickhouseRows } from '../clickhouse-rows.ts'
import type { Check } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'

const migrations = of('migrations')

interface Applied {
  readonly name: string
  readonly sha256: string
}

export const migrationsCheck: Check = {
  group: 'migrations',
  run: async (ctx) => {
    const [postgres, clickhouse] = await Promise.all([ctx.postgres(), ctx.clickhouse()])
    return Promise.all([
      postgres.state !== 'answers'
        ? migrations.skipped('postgres', 'Needs Postgres.')
        : compare('Postgres', async () => {
            const { rows } = await postgres.store.pool.query<Applied>(
              'select name, sha256 from migrations',
            )
            return rows
          }),
      clickhouse.state !== 'answers'
        ? migrations.skipped('clickhouse', 'Needs ClickHouse.')
        : compare('ClickHouse', () =>
            clickhouseRows<Applied>(
              clickhouse.store,
              'select distinct name, sha256 from migrations',
            ),
          ),
    ])
  },
}

async function compare(store: Store, read: () => Promise<readonly Applied[]>): Promise<Finding> {
  const folder = store === 'Postgres' ? 'postgres' : 'clickhouse'
  const wanted = await readMigrations(folder)
  const applied = await read().catch((error: unknown) => {
    if (isMissingTable(error)) return undefined
    throw error
  })
  const names = wanted.map(({ name }) => name)
  const appliedNames = applied?.map(({ name }) => name)
  const sentence = compareMigrations(store, names, appliedNames)
  if (sentence !== undefined) {
    const [found = sentence, advice = ''] = sentence.split(/: (?=run|start)/)
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
  return migrations.ok(folder, `${store} has all ${names.length} migrations.`)
}

function changedFiles(
  wanted: readonly { name: string; sql: string }[],
  applied: readonly Applied[],
): string[] {
  const hashes = new Map(
    wanted.map(({ name, sql }) => [name, createHash('sha256').update(sql).digest('hex')]),
  )
  return applied
    .filter(({ name, sha256 }) => hashes.has(name) && hashes.get(name) !== sha256)
    .map(({ name }) => name)
}

/** Postgres: undefined_table. ClickHouse: UNKNOWN_TABLE, UNKNOWN_DATABASE. */
const missingCodes: ReadonlySet<unknown> = new Set(['42P01', '60', '81'])

function isMissingTable(error: unknown): boolean {
  return missingCodes.has((error as { code?: unknown }).code)
}
