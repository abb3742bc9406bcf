/**
 * Checks that a database has exactly the migrations of this program. Otherwise a process ends with
 * one sentence. Only `migrate` accepts a database with pending migrations.
 */
import { ClickHouseError } from '@clickhouse/client'
import type { ClickHouseClient } from '../clickhouse.ts'
import type { Pool } from '../postgres.ts'
import { readMigrations } from './migrate.ts'

export type Store = 'Postgres' | 'ClickHouse'

/** The database cannot be used by this program. The message states the reason and the remedy. */
export class MigrationsError extends Error {}

const namesMax = 3

/**
 * The error message for a database whose migrations differ, or undefined. `applied`: names of the
 * applied migrations; undefined if there is no table of migrations.
 */
export function compareMigrations(
  store: Store,
  wanted: readonly string[],
  applied: readonly string[] | undefined,
): string | undefined {
  const newer = (applied ?? []).filter((name) => !wanted.includes(name))
  if (newer.length > 0) {
    return `${store} was migrated by a newer version of Sluice (this one does not have ${list(newer)}): start that version, or a later one`
  }
  if (applied === undefined || applied.length === 0) {
    return `${store} was not migrated yet: run \`npm run migrate\` first`
  }
  const missing = wanted.filter((name) => !applied.includes(name))
  if (missing.length === 0) return undefined
  return `${store} lacks migrations of this version (${list(missing)}): run \`npm run migrate\` first`
}

export async function checkPostgresMigrations(pool: Pool): Promise<void> {
  await check('Postgres', () => appliedInPostgres(pool))
}

export async function checkClickHouseMigrations(clickhouse: ClickHouseClient): Promise<void> {
  await check('ClickHouse', () => appliedInClickHouse(clickhouse))
}

/**
 * For `migrate`, which runs pending migrations: throws only if the database is newer than this
 * program.
 */
export async function refuseNewer(
  store: Store,
  applied: readonly string[] | undefined,
): Promise<void> {
  const wanted = await namesOf(store)
  if ((applied ?? []).every((name) => wanted.includes(name))) return
  throw new MigrationsError(compareMigrations(store, wanted, applied))
}

export async function appliedInPostgres(pool: Pool): Promise<string[] | undefined> {
  try {
    const { rows } = await pool.query<{ name: string }>('select name from migrations')
    return rows.map(({ name }) => name)
  } catch (error) {
    if ((error as { code?: unknown }).code === undefinedTable) return undefined
    throw error
  }
}

export async function appliedInClickHouse(
  clickhouse: ClickHouseClient,
): Promise<string[] | undefined> {
  try {
    const query = 'select distinct name from migrations'
    const result = await clickhouse.query({ query, format: 'JSONEachRow' })
    return (await result.json<{ name: string }>()).map(({ name }) => name)
  } catch (error) {
    if (error instanceof ClickHouseError && unknownInClickHouse.has(error.code)) return undefined
    throw error
  }
}

const undefinedTable = '42P01'
/** UNKNOWN_TABLE, UNKNOWN_DATABASE. */
const unknownInClickHouse = new Set(['60', '81'])

async function check(
  store: Store,
  read: () => Promise<readonly string[] | undefined>,
): Promise<void> {
  const sentence = compareMigrations(store, await namesOf(store), await read())
  if (sentence !== undefined) throw new MigrationsError(sentence)
}

async function namesOf(store: Store): Promise<string[]> {
  const files = await readMigrations(store === 'Postgres' ? 'postgres' : 'clickhouse')
  return files.map(({ name }) => name)
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, namesMax).join(', ')
  return names.length <= namesMax ? shown : `${shown} and ${names.length - namesMax} more`
}
