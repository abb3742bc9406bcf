/**
 * Runs the migrations of both databases. They are numbered plain SQL, forward only, and each
 * database records which files have run. Two processes may run them concurrently: Postgres uses a
 * lock, and in ClickHouse every statement is idempotent.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClickHouseClient } from '../clickhouse.ts'
import { inTransaction, type Pool } from '../postgres.ts'
import { projectRoot } from '../project-root.ts'
import { replicatedSql } from './replicated-sql.ts'

/** Key of the advisory lock under which migrations run; any fixed number. */
const migrationLock = 7_391_046

export interface MigrationFile {
  readonly name: string
  readonly sql: string
}

export async function readMigrations(store: 'postgres' | 'clickhouse'): Promise<MigrationFile[]> {
  const folder = join(projectRoot, 'schemas', store)
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => ({ name, sql: await readFile(join(folder, name), 'utf8') })),
  )
}

/** Returns the names of the new files. A file that was edited after it ran is an error. */
export async function migratePostgres(
  pool: Pool,
  files: readonly MigrationFile[],
): Promise<string[]> {
  return inTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
    await client.query(
      'create table if not exists migrations (name text primary key, sha256 text not null, at timestamptz not null default now())',
    )
    const { rows } = await client.query<{ name: string; sha256: string }>(
      'select name, sha256 from migrations',
    )
    const applied = new Map(rows.map((row) => [row.name, row.sha256]))
    const fresh: string[] = []
    for (const { name, sql } of files) {
      const sha256 = hashOfMigration(sql)
      if (hasRun({ name, sha256 }, applied)) continue
      await client.query('insert into migrations (name, sha256) values ($1, $2)', [name, sha256])
      await client.query(sql)
      fresh.push(name)
    }
    return fresh
  })
}

/**
 * Returns the names of the new files. The database must exist. All files are compared before the
 * first one runs. A file that ran but could not be recorded runs again next time. With `cluster`,
 * tables are created replicated, on every replica.
 */
export async function migrateClickHouse(
  clickhouse: ClickHouseClient,
  files: readonly MigrationFile[],
  cluster?: string,
): Promise<string[]> {
  const adapt = (sql: string) => (cluster === undefined ? sql : replicatedSql(sql, cluster))
  // Sorted by both columns, so that merging parts never hides a file that ran with two contents.
  await clickhouse.command({
    query:
      adapt(`create table if not exists migrations (name String, sha256 String, at DateTime('UTC') default now())
            engine = ReplacingMergeTree order by (name, sha256)`),
  })
  const result = await clickhouse.query({
    query: 'select name, sha256 from migrations order by at',
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ name: string; sha256: string }>()
  const applied = new Map(rows.map((row) => [row.name, row.sha256]))
  const fresh = files
    .map(({ name, sql }) => ({ name, sql, sha256: hashOfMigration(sql) }))
    .filter((file) => !hasRun(file, applied))
  for (const { name, sql, sha256 } of fresh) {
    await clickhouse.command({ query: adapt(sql) })
    await clickhouse.insert({
      table: 'migrations',
      values: [{ name, sha256 }],
      format: 'JSONEachRow',
    })
  }
  return fresh.map(({ name }) => name)
}

export function hashOfMigration(sql: string): string {
  return createHash('sha256').update(sql).digest('hex')
}

/** Throws if the file ran with another content. */
function hasRun(
  file: { name: string; sha256: string },
  applied: ReadonlyMap<string, string>,
): boolean {
  const before = applied.get(file.name)
  if (before === undefined) return false
  if (before === file.sha256) return true
  throw new Error(`migration ${file.name} was changed after it ran`)
}
