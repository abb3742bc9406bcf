/**
 * Loads the rows of a backup into ClickHouse. Every object is inserted under a token of its own, so
 * that an insert whose answer was lost can be repeated. A table `restoring` marks a database whose
 * restore is under way: after a kill, the next restore empties it and begins again.
 */
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { ClickHouseError } from '@clickhouse/client'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import type { ClickHouseTable, Manifest } from '#schemas/backup/manifest.ts'
import { BackupError } from '../backup-error.ts'
import { command, listRowTables, quotedName, select } from './connection-store.ts'
import { listColumns } from './part-store.ts'

const insertAttemptsMax = 5
const insertRetryMs = 500
const markTable = 'restoring'

export async function createDatabase(clickhouseUrl: string): Promise<void> {
  const url = new URL(clickhouseUrl)
  const database = decodeURIComponent(url.pathname.slice(1)) || 'default'
  url.pathname = '/default'
  const clickhouse = createClickHouse(url.href, 'sluice-backup')
  try {
    await command(clickhouse, `create database if not exists ${quotedName(database)}`)
  } catch (error) {
    throw new BackupError(
      `ClickHouse does not answer: ${(error as Error).message.replace(/\.$/, '')}.`,
      {
        cause: error,
      },
    )
  } finally {
    await clickhouse.close()
  }
}

/** Id of the backup whose restore into this database did not end, if there is one. */
export async function findInterrupted(clickhouse: ClickHouseClient): Promise<string | undefined> {
  const marks = await select(
    clickhouse,
    `select 1 from system.tables where database = currentDatabase() and name = '${markTable}'`,
  )
  if (marks.length === 0) return undefined
  const rows = await select<{ backup: string }>(
    clickhouse,
    `select backup from ${markTable} order by at desc limit 1`,
  )
  return rows[0]?.backup
}

/** A table that holds rows. */
export async function findUsedTable(clickhouse: ClickHouseClient): Promise<string | undefined> {
  for (const table of await listRowTables(clickhouse)) {
    const rows = await select(clickhouse, `select 1 from ${quotedName(table)} limit 1`)
    if (rows.length > 0) return table
  }
  return undefined
}

/** Drops all tables of the product and marks the database with the id of the backup. */
export async function beginLoading(clickhouse: ClickHouseClient, id: string): Promise<void> {
  await command(
    clickhouse,
    `create table if not exists ${markTable} (backup String, at DateTime64(6) default now64(6))
     engine = MergeTree order by at`,
  )
  await clickhouse.insert({ table: markTable, values: [{ backup: id }], format: 'JSONEachRow' })
  const tables = await select<{ name: string }>(
    clickhouse,
    `select name from system.tables where database = currentDatabase() and name <> '${markTable}'
       and engine like '%MergeTree'`,
  )
  for (const { name } of tables) {
    await command(clickhouse, `drop table if exists ${quotedName(name)} sync`)
  }
}

export async function endLoading(clickhouse: ClickHouseClient): Promise<void> {
  await command(clickhouse, `drop table if exists ${markTable} sync`)
}

/** Inserts the objects of a table. `pieces`: their bytes, in the order of the manifest. */
export async function loadTable(
  clickhouse: ClickHouseClient,
  { id }: Manifest,
  table: ClickHouseTable,
  pieces: AsyncIterable<Buffer>,
): Promise<void> {
  const there = await listColumns(clickhouse, table.name)
  const missing = table.columns.filter((column) => !there.includes(column))
  if (missing.length > 0) {
    throw new BackupError(
      `The backup has ${table.name}.${missing.join(', ')}, which this version of Sluice does not create: restore with the version that wrote the backup.`,
    )
  }
  let ordinal = 0
  for await (const bytes of pieces) {
    // Two parts may hold the same rows, so the token is the place in the manifest, not the content.
    await insertPiece(clickhouse, table, bytes, `restore:${id}:${table.name}:${ordinal}`)
    ordinal += 1
  }
}

async function insertPiece(
  clickhouse: ClickHouseClient,
  { name, columns }: ClickHouseTable,
  bytes: Buffer,
  token: string,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { stream } = await clickhouse.exec({
        query: `insert into ${quotedName(name)} (${columns.map(quotedName).join(', ')}) format Native`,
        values: Readable.from([bytes]),
        clickhouse_settings: {
          insert_deduplicate: 1,
          insert_deduplication_token: token,
          async_insert: 0,
          // Rows stay as they were, also those that a merge would drop.
          optimize_on_insert: 0,
        },
      })
      stream.resume()
      return
    } catch (error) {
      if (error instanceof ClickHouseError || attempt >= insertAttemptsMax) throw error
      await sleep(insertRetryMs * attempt)
    }
  }
}

export async function countRows(clickhouse: ClickHouseClient, table: string): Promise<number> {
  const [row] = await select<{ n: number }>(
    clickhouse,
    `select count() as n from ${quotedName(table)}`,
  )
  return row?.n ?? 0
}
