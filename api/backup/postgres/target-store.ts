/** The Postgres database that a restore writes to: what is in it, who uses it, and emptying it. */
import { Logger as JobLogger, runMigrations } from 'graphile-worker'
import { appliedInPostgres } from '#platform/installation/applied-migrations.ts'
import { type MigrationFile, migratePostgres } from '#platform/installation/migrate.ts'
import type { Logger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { backupConnectionName, type Connection } from './connection-store.ts'
import { quotedTable, readTables } from './tables-store.ts'

// cspell:ignore deptype nspname pronamespace regprocedure

/** Tables that are not empty as soon as somebody has used the installation. */
const usedTables = ['organizations', 'people', 'projects', 'partition_cursors', 'sends', 'issues']
/** Services by the beginning of their connections' names. Connections of commands may be open. */
const services: readonly (readonly [string, string])[] = [
  ['sluice-ingest', 'ingest'],
  ['sluice-mailer', 'mailer'],
  ['sluice-api', 'api'],
  ...['sluice-worker', 'sluice-jobs', 'sluice-partitions', 'sluice-locks'].map(
    (prefix) => [prefix, 'workers'] as const,
  ),
]
const migrateMsMax = 3_600_000

export type TargetState =
  | { readonly kind: 'empty' }
  | { readonly kind: 'foreign'; readonly tables: readonly string[] }
  /** `used`: a table that holds rows. */
  | { readonly kind: 'sluice'; readonly used: string | undefined }

export async function inspectTarget(client: Connection): Promise<TargetState> {
  const tables = (await readTables(client)).filter(({ schema }) => schema === 'public')
  if (tables.length === 0) return { kind: 'empty' }
  const names = tables.map(({ name }) => name)
  if ((await appliedInPostgres(client as unknown as Pool)) === undefined) {
    return { kind: 'foreign', tables: names }
  }
  for (const name of usedTables.filter((one) => names.includes(one))) {
    const { rowCount } = await client.query(`select from public.${name} limit 1`)
    if (rowCount === 1) return { kind: 'sluice', used: name }
  }
  return { kind: 'sluice', used: undefined }
}

/** The id that the database has, used or not; undefined if it has none. */
export async function readInstallationId(client: Connection): Promise<string | undefined> {
  const { rows: tables } = await client.query<{ exists: boolean }>(
    `select to_regclass('public.installation') is not null as exists`,
  )
  if (tables[0]?.exists !== true) return undefined
  const { rows } = await client.query<{ id: string }>('select id from public.installation')
  return rows[0]?.id
}

/** Names of the services that are connected to the database. */
export async function connectedServices(client: Connection): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  )
  const connected = services.filter(([prefix]) => rows.some(({ name }) => name.startsWith(prefix)))
  return [...new Set(connected.map(([, service]) => service))]
}

/** Drops every table, view, type and function of the schemas, but those of extensions. */
export async function dropEverything(client: Connection): Promise<void> {
  await client.query('begin')
  try {
    const tables = (await readTables(client)).filter(({ schema }) => schema === 'public')
    if (tables.length > 0) {
      await client.query(`drop table ${tables.map(quotedTable).join(', ')} cascade`)
    }
    await client.query('drop schema if exists graphile_worker cascade')
    const { rows } = await client.query<{ routine: string }>(
      `select p.oid::regprocedure::text as routine from pg_proc p
       join pg_namespace n on n.oid = p.pronamespace
       where n.nspname = 'public' and not exists (
         select from pg_depend d
         where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`,
    )
    for (const { routine } of rows) await client.query(`drop routine if exists ${routine} cascade`)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Runs the given migrations, and those of the job queue. */
export async function migrateTarget(
  url: string,
  files: readonly MigrationFile[],
  log: Logger,
): Promise<void> {
  const pool = createPool(
    {
      url,
      applicationName: backupConnectionName,
      connectionsMax: 1,
      statementTimeoutMs: migrateMsMax,
    },
    log,
  )
  try {
    await migratePostgres(pool, files)
    await runMigrations({ pgPool: pool, logger: new JobLogger(() => () => undefined) })
  } finally {
    await pool.end()
  }
}
