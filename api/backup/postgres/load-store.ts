/**
 * Loads the tables of a backup into a migrated, empty database, in one transaction: after a kill
 * nothing of it is there. Foreign keys are dropped and created again in the same transaction, so
 * that the order of the tables and rows that refer to each other do not matter, and so that
 * Postgres checks every reference. Triggers of the product stay silent: what they would write is in
 * the backup. The owner of the tables may do all of it.
 */
import type { Manifest, PostgresTable } from '#schemas/backup/manifest.ts'
import { BackupError } from '../backup-error.ts'
import type { Connection } from './connection-store.ts'
import { copyIn } from './copy-store.ts'
import { quoted, quotedTable, readTables } from './tables-store.ts'

// cspell:ignore conname nspname relnamespace

export interface LoadTables {
  readonly manifest: Manifest
  /** The bytes of the table's objects, in order. */
  readonly read: (table: PostgresTable) => AsyncIterable<Buffer>
  /** Runs in the transaction after all rows are loaded. */
  readonly adjust: (client: Connection) => Promise<void>
}

export async function loadTables(client: Connection, options: LoadTables): Promise<void> {
  const { postgres } = options.manifest
  await client.query('begin')
  try {
    await checkColumns(client, postgres.tables)
    await emptyTables(client)
    const foreignKeys = await readForeignKeys(client)
    for (const { table, name } of foreignKeys) {
      await client.query(`alter table ${table} drop constraint ${quoted(name)}`)
    }
    for (const table of postgres.tables) {
      await client.query(`alter table ${quotedTable(table)} disable trigger user`)
      const rows = await copyIn(client, table, options.read(table))
      if (rows !== table.rows) {
        throw new Error(`${table.name} got ${rows} rows instead of ${table.rows}`)
      }
      await client.query(`alter table ${quotedTable(table)} enable trigger user`)
    }
    for (const { table, name, definition } of foreignKeys) {
      await client.query(`alter table ${table} add constraint ${quoted(name)} ${definition}`)
    }
    for (const sequence of postgres.sequences) {
      await client.query('select setval($1::regclass, $2::bigint, $3)', [
        quotedTable(sequence),
        sequence.value,
        sequence.isCalled,
      ])
    }
    await options.adjust(client)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Tables may have more columns than the backup, with defaults; not fewer. */
async function checkColumns(client: Connection, wanted: readonly PostgresTable[]): Promise<void> {
  const tables = await readTables(client)
  for (const { schema, name, columns } of wanted) {
    const found = tables.find((one) => one.schema === schema && one.name === name)
    const missing = columns.filter((column) => found?.columns.includes(column) !== true)
    if (missing.length === 0) continue
    const what =
      found === undefined ? `the table ${schema}.${name}` : `${name}.${missing.join(', ')}`
    throw new BackupError(
      `The backup has ${what}, which this version of Sluice does not create: restore with the version that wrote the backup.`,
    )
  }
}

/** Migrations write some rows, such as the installation. */
async function emptyTables(client: Connection): Promise<void> {
  const tables = (await readTables(client)).filter(({ name }) => name !== 'migrations')
  await client.query(`truncate ${tables.map(quotedTable).join(', ')}`)
}

interface ForeignKey {
  readonly table: string
  readonly name: string
  readonly definition: string
}

async function readForeignKeys(client: Connection): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `select format('%I.%I', n.nspname, c.relname) as table, k.conname as name,
       pg_get_constraintdef(k.oid) as definition
     from pg_constraint k join pg_class c on c.oid = k.conrelid
     join pg_namespace n on n.oid = c.relnamespace
     where k.contype = 'f' and n.nspname in ('public', 'graphile_worker') order by 1, 2`,
  )
  return rows
}
