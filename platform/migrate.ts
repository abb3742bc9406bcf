/**
 * Brings both databases to the shape that this version needs. Migrations are numbered plain SQL,
 * forward only. Two processes may start at once: in Postgres a lock lets one go first, in ClickHouse
 * every statement is idempotent.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClickHouseClient } from './clickhouse.ts'
import { inTransaction, type Pool } from './postgres.ts'
import { projectRoot } from './project-root.ts'

/** Any fixed number: the advisory lock under which migrations run. */
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

/** Returns the names of the files that were new. A file that was edited after it ran is an error. */
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
      const sha256 = createHash('sha256').update(sql).digest('hex')
      const before = applied.get(name)
      if (before === sha256) continue
      if (before !== undefined) throw new Error(`migration ${name} was changed after it had run`)
      await client.query('insert into migrations (name, sha256) values ($1, $2)', [name, sha256])
      await client.query(sql)
      fresh.push(name)
    }
    return fresh
  })
}

/** The database itself is made first when it is missing. */
export async function migrateClickHouse(
  clickhouse: ClickHouseClient,
  files: readonly MigrationFile[],
): Promise<void> {
  for (const { sql } of files) await clickhouse.command({ query: sql })
}
