/**
 * Runs the migrations of both databases. They are numbered plain SQL, forward only, and each
 * database records which files have run. Two processes may run them concurrently: Postgres uses a
 * lock, and in ClickHouse every statement is idempotent.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouseClient } from '../clickhouse.ts'
import { inTransaction, type Pool } from '../postgres.ts'
import { projectRoot } from '../project-root.ts'
import { isContract } from './contract.ts'
import { replicatedSql } from './replicated-sql.ts'
import { clickhouseVersionMin, isAtLeast } from './server-version.ts'

/** Key of the advisory lock under which migrations run; any fixed number. */
const migrationLock = 7_391_046
/** A migration waits this long for the lock of a table; meanwhile other queries wait behind it. */
const lockMsMax = 3_000
const lockPauseMs = 1_000
const lockAttemptsMax = 20
/** lock_not_available, deadlock_detected. */
const lockCodes: ReadonlySet<unknown> = new Set(['55P03', '40P01'])

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

/**
 * Returns the names of the new files. A file that was edited after it ran is an error. A migration
 * that cannot lock a table because of the processes that run is rolled back and tried again, so
 * that their queries do not queue behind it.
 */
export async function migratePostgres(
  pool: Pool,
  files: readonly MigrationFile[],
): Promise<string[]> {
  await addContractColumn(pool)
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await migrateOnce(pool, files)
    } catch (error) {
      const { code } = error as { code?: unknown }
      if (attempt >= lockAttemptsMax || !lockCodes.has(code)) throw error
      await sleep(lockPauseMs)
    }
  }
}

function migrateOnce(pool: Pool, files: readonly MigrationFile[]): Promise<string[]> {
  return inTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
    await client.query(`set local lock_timeout = ${lockMsMax}`)
    await client.query(
      'create table if not exists migrations (name text primary key, sha256 text not null, at timestamptz not null default now(), contract boolean)',
    )
    const { rows } = await client.query<{ name: string; sha256: string }>(
      'select name, sha256 from migrations',
    )
    const applied = new Map(rows.map((row) => [row.name, row.sha256]))
    const fresh: string[] = []
    for (const { name, sql } of files) {
      const sha256 = hashOfMigration(sql)
      if (hasRun({ name, sha256 }, applied)) continue
      await client.query('insert into migrations (name, sha256, contract) values ($1, $2, $3)', [
        name,
        sha256,
        isContract(sql),
      ])
      await client.query(sql)
      fresh.push(name)
    }
    // Rows of versions that did not record it.
    await client.query(
      `update migrations set contract = file.contract
         from unnest($1::text[], $2::boolean[]) as file (name, contract)
        where migrations.name = file.name and migrations.contract is null`,
      [files.map(({ name }) => name), files.map(({ sql }) => isContract(sql))],
    )
    return fresh
  })
}

/**
 * A transaction of its own: in that of the migrations it would keep processes from reading the
 * table until the end. Null in this column means that it was not recorded.
 */
async function addContractColumn(pool: Pool): Promise<void> {
  const { rowCount } = await pool.query(
    `select 1 where to_regclass('migrations') is not null and not exists (
       select from information_schema.columns
        where table_schema = current_schema() and table_name = 'migrations' and column_name = 'contract')`,
  )
  if (rowCount === 0) return
  await pool.query('alter table migrations add column if not exists contract boolean')
}

/**
 * Returns the names of the new files. The database must exist. All files are compared before the
 * first one runs. A file that ran but could not be recorded runs again next time. With `cluster`,
 * tables are created replicated, on every replica. A server that is too old is an error before
 * anything runs.
 */
export async function migrateClickHouse(
  clickhouse: ClickHouseClient,
  files: readonly MigrationFile[],
  cluster?: string,
): Promise<string[]> {
  await requireVersion(clickhouse)
  const adapt = (sql: string) => (cluster === undefined ? sql : replicatedSql(sql, cluster))
  // Sorted by both columns, so that merging parts never hides a file that ran with two contents.
  await clickhouse.command({
    query:
      adapt(`create table if not exists migrations (name String, sha256 String, at DateTime('UTC') default now(), contract Nullable(Bool))
            engine = ReplacingMergeTree order by (name, sha256)`),
  })
  await clickhouse.command({
    query: adapt('alter table migrations add column if not exists contract Nullable(Bool)'),
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
      values: [{ name, sha256, contract: isContract(sql) }],
      format: 'JSONEachRow',
    })
  }
  return fresh.map(({ name }) => name)
}

async function requireVersion(clickhouse: ClickHouseClient): Promise<void> {
  const result = await clickhouse.query({ query: 'select version() as version', format: 'JSON' })
  const version = (await result.json<{ version: string }>()).data[0]?.version ?? ''
  if (isAtLeast(version, clickhouseVersionMin)) return
  throw new Error(
    `ClickHouse ${version} is too old: Sluice needs ${clickhouseVersionMin} or later. Upgrade ClickHouse first; it reads the data of older versions.`,
  )
}

/** The hash of a file, as the databases record it. */
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
