/**
 * Clones of the ClickHouse tables: hard links to the parts of this moment, made at once. They are
 * dropped when the backup ends; those of a backup that was killed are dropped by the next one.
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { clonePrefix, command, listRowTables, quotedName, select } from './connection-store.ts'

export interface Clone {
  readonly table: string
  readonly clone: string
}

/** @param tag letters and digits that are part of the names. */
export async function cloneTables(clickhouse: ClickHouseClient, tag: string): Promise<Clone[]> {
  const tables = await listRowTables(clickhouse)
  return Promise.all(
    tables.map(async (table) => {
      const clone = `${clonePrefix}${tag}_${table}`
      await command(clickhouse, `create table ${quotedName(clone)} clone as ${quotedName(table)}`)
      return { table, clone }
    }),
  )
}

/** Drops all clones of the database. */
export async function dropClones(clickhouse: ClickHouseClient): Promise<void> {
  const clones = await select<{ name: string }>(
    clickhouse,
    `select name from system.tables
     where database = currentDatabase() and startsWith(name, '${clonePrefix}')`,
  )
  for (const { name } of clones) {
    await command(clickhouse, `drop table if exists ${quotedName(name)} sync`)
  }
}
