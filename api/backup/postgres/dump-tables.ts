/** Stores the tables of Postgres as objects, as a snapshot sees them. */
import type { Manifest, ObjectRef, PostgresTable } from '#schemas/backup/manifest.ts'
import { RowCutter } from '../objects/cut-rows.ts'
import type { ObjectWriter } from '../objects/object-writer.ts'
import type { Connection } from './connection-store.ts'
import { copyOut } from './copy-store.ts'
import { leftOutTables } from './left-out-tables.ts'
import { readSequences, readTables, type TableInfo } from './tables-store.ts'

/** @param snapshot in a transaction with a snapshot. */
export async function dumpTables(
  snapshot: Connection,
  writer: ObjectWriter,
): Promise<Manifest['postgres']> {
  const tables: PostgresTable[] = []
  const leftOut: { table: string; reason: string }[] = []
  for (const table of await readTables(snapshot)) {
    const name = `${table.schema}.${table.name}`
    const reason = leftOutTables[name]
    if (reason === undefined) tables.push(await dumpTable(snapshot, writer, table))
    else leftOut.push({ table: name, reason })
  }
  return { tables, sequences: await readSequences(snapshot), leftOut }
}

async function dumpTable(
  snapshot: Connection,
  writer: ObjectWriter,
  table: TableInfo,
): Promise<PostgresTable> {
  const cutter = new RowCutter()
  const writing: Promise<ObjectRef>[] = []
  for await (const chunk of copyOut(snapshot, table)) {
    for (const object of cutter.add(chunk)) writing.push((await writer.add(object)).done)
  }
  for (const object of cutter.end()) writing.push((await writer.add(object)).done)
  const objects = await Promise.all(writing)
  const { schema, name, columns } = table
  return { schema, name, columns: [...columns], ...sumsOf(objects), objects }
}

export function sumsOf(objects: readonly ObjectRef[]): { rows: number; bytes: number } {
  return {
    rows: objects.reduce((sum, object) => sum + object.rows, 0),
    bytes: objects.reduce((sum, object) => sum + object.bytes, 0),
  }
}
