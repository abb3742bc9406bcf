/** Reads the migrations of both stores for the upgrade check. Tables may be missing. */
import {
  appliedInClickHouse,
  appliedInPostgres,
} from '#platform/installation/applied-migrations.ts'
import { readMigrations } from '#platform/installation/migrate.ts'
import type { Pool } from '#platform/postgres.ts'
import { clickhouseRows } from '../doctor/clickhouse-rows.ts'
import type { DoctorContext } from '../doctor/doctor-context.ts'
import { of } from '../doctor/finding.ts'
import { reasonOf } from '../doctor/reason-of.ts'
import { readPending, type StoreMigrations } from './pending-migrations.ts'

const queryMs = 3_000

export interface FoundMigrations extends StoreMigrations {
  /** Whether any database was migrated before. */
  readonly isInstalled: boolean
  /** Whether all stores answered. */
  readonly isComplete: boolean
}

export async function readMigrationsOfStores(ctx: DoctorContext): Promise<FoundMigrations> {
  const found = await Promise.all([ofPostgres(ctx), ofClickHouse(ctx)])
  return {
    pending: found.flatMap(({ pending }) => pending),
    findings: found.flatMap(({ findings }) => findings),
    isInstalled: found.some(({ isInstalled }) => isInstalled),
    isComplete: found.every(({ isComplete }) => isComplete),
  }
}

async function ofPostgres(ctx: DoctorContext): Promise<FoundMigrations> {
  const found = await ctx.postgres()
  if (found.state !== 'answers') return silent('Postgres', found.reason)
  const { pool } = found.store
  try {
    const applied = await appliedInPostgres(pool)
    const files = await readMigrations('postgres')
    const rows = await rowsOfTables(pool)
    return {
      ...readPending('Postgres', files, { applied, rows }),
      isInstalled: applied !== undefined,
      isComplete: true,
    }
  } catch (error) {
    return silent('Postgres', reasonOf(error))
  }
}

async function ofClickHouse(ctx: DoctorContext): Promise<FoundMigrations> {
  const found = await ctx.clickhouse()
  if (found.state !== 'answers') {
    return isMissingDatabase(found.reason)
      ? { pending: await allOfClickHouse(), findings: [], isInstalled: false, isComplete: true }
      : silent('ClickHouse', found.reason)
  }
  try {
    const applied = await appliedInClickHouse(found.store, queryMs)
    const files = await readMigrations('clickhouse')
    const tables = await clickhouseRows<{ name: string; rows: string | number | null }>(
      found.store,
      'select name, total_rows as rows from system.tables where database = currentDatabase()',
    )
    const rows = new Map(tables.map((table) => [table.name, Number(table.rows ?? 0)]))
    return {
      ...readPending('ClickHouse', files, { applied, rows }),
      isInstalled: applied !== undefined,
      isComplete: true,
    }
  } catch (error) {
    return silent('ClickHouse', reasonOf(error))
  }
}

/** `migrate` creates the database. */
function isMissingDatabase(reason: string): boolean {
  return /UNKNOWN_DATABASE|Database \S+ does not exist/.test(reason)
}

async function allOfClickHouse() {
  const files = await readMigrations('clickhouse')
  return readPending('ClickHouse', files, { applied: undefined, rows: new Map() }).pending
}

function silent(store: 'Postgres' | 'ClickHouse', reason: string): FoundMigrations {
  const name = store.toLowerCase()
  const advice = `Start it, or correct ${name === 'postgres' ? 'POSTGRES_URL' : 'CLICKHOUSE_URL'}.`
  const finding = of('migrations').problem(name, `${store} does not answer: ${reason}.`, advice)
  return { pending: [], findings: [finding], isInstalled: true, isComplete: false }
}

/** Estimates of the last vacuum or analyze. Tables without one are left out. */
async function rowsOfTables(pool: Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ name: string; rows: number }>(
    `select relname as name, reltuples::float8 as rows from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and reltuples >= 0`,
  )
  return new Map(rows.map((row) => [row.name, row.rows]))
}
