/**
 * Checks that a database has the migrations of this program. Otherwise a process ends with one
 * sentence. Migrations of a newer version are accepted if each is recorded as an expansion, so that
 * processes can restart in the middle of an upgrade. Only `migrate` accepts a database with pending
 * migrations.
 */
import type { ClickHouseClient } from '../clickhouse.ts'
import type { Logger } from '../logger.ts'
import type { Pool } from '../postgres.ts'
import {
  type AppliedMigration,
  appliedInClickHouse,
  appliedInPostgres,
} from './applied-migrations.ts'
import { readMigrations } from './migrate.ts'

export type Store = 'Postgres' | 'ClickHouse'

/** The database cannot be used by this program. The message states the reason and the remedy. */
export class MigrationsError extends Error {}

export interface MigrationsComparison {
  /** Why the program cannot use the database, and the remedy. */
  readonly refusal: string | undefined
  /** Migrations of a newer version that this program works with. */
  readonly newer: readonly string[]
}

type AppliedName = Pick<AppliedMigration, 'name' | 'contract'>

const namesMax = 3

/** `applied`: undefined if there is no table of migrations. */
export function compareMigrations(
  store: Store,
  wanted: readonly string[],
  applied: readonly AppliedName[] | undefined,
): MigrationsComparison {
  const known = new Set(wanted)
  const unknown = (applied ?? []).filter(({ name }) => !known.has(name))
  const refusal = refuseUnknown(store, unknown) ?? refuseMissing(store, wanted, applied)
  return { refusal, newer: refusal === undefined ? unknown.map(({ name }) => name) : [] }
}

/** Logs one line if the database is newer. Throws a MigrationsError if it cannot be used. */
export async function checkPostgresMigrations(pool: Pool, log?: Logger): Promise<void> {
  await check('Postgres', () => appliedInPostgres(pool), log)
}

/** The same check of ClickHouse. */
export async function checkClickHouseMigrations(
  clickhouse: ClickHouseClient,
  log?: Logger,
): Promise<void> {
  await check('ClickHouse', () => appliedInClickHouse(clickhouse), log)
}

/**
 * For `migrate`, which runs pending migrations: throws only if a newer version has migrated the
 * database in a way that this program does not survive. Returns the names of the others.
 */
export async function refuseNewer(
  store: Store,
  applied: readonly AppliedName[] | undefined,
): Promise<string[]> {
  const known = new Set(await namesOf(store))
  const unknown = (applied ?? []).filter(({ name }) => !known.has(name))
  const refusal = refuseUnknown(store, unknown)
  if (refusal !== undefined) throw new MigrationsError(refusal)
  return unknown.map(({ name }) => name)
}

async function check(
  store: Store,
  read: () => Promise<readonly AppliedMigration[] | undefined>,
  log: Logger | undefined,
): Promise<void> {
  const { refusal, newer } = compareMigrations(store, await namesOf(store), await read())
  if (refusal !== undefined) throw new MigrationsError(refusal)
  if (newer.length === 0) return
  log?.warn(
    { code: 'database_newer', store, newer },
    `${store} was migrated by a newer version of Sluice (${list(newer)}); this version works with it. Finish the upgrade.`,
  )
}

function refuseUnknown(store: Store, unknown: readonly AppliedName[]): string | undefined {
  const breaking = unknown.filter(({ contract }) => contract !== false).map(({ name }) => name)
  if (breaking.length === 0) return undefined
  return `${store} was migrated by a newer version of Sluice (this one does not have ${list(breaking)}): start that version, or a later one`
}

function refuseMissing(
  store: Store,
  wanted: readonly string[],
  applied: readonly AppliedName[] | undefined,
): string | undefined {
  if (applied === undefined || applied.length === 0) {
    return `${store} was not migrated yet: run \`npm run migrate\` first`
  }
  const names = new Set(applied.map(({ name }) => name))
  const missing = wanted.filter((name) => !names.has(name))
  if (missing.length === 0) return undefined
  return `${store} lacks migrations of this version (${list(missing)}): run \`npm run migrate\` first`
}

async function namesOf(store: Store): Promise<string[]> {
  const files = await readMigrations(store === 'Postgres' ? 'postgres' : 'clickhouse')
  return files.map(({ name }) => name)
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, namesMax).join(', ')
  return names.length <= namesMax ? shown : `${shown} and ${names.length - namesMax} more`
}
