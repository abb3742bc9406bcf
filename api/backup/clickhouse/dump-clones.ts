/**
 * Stores the cloned tables of ClickHouse as objects. A part whose content an earlier backup holds
 * is not read again.
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type {
  ClickHousePart,
  ClickHouseTable,
  Manifest,
  ObjectRef,
} from '#schemas/backup/manifest.ts'
import type { ObjectWriter } from '../objects/object-writer.ts'
import { sumsOf } from '../postgres/dump-tables.ts'
import type { Clone } from './clone-store.ts'
import { listColumns, listParts, readPart } from './part-store.ts'

export interface DumpClones {
  readonly clickhouse: ClickHouseClient
  readonly writer: ObjectWriter
  readonly clones: readonly Clone[]
  readonly earlier: readonly Manifest[]
}

export async function dumpClones(options: DumpClones): Promise<ClickHouseTable[]> {
  const tables: ClickHouseTable[] = []
  for (const clone of options.clones) tables.push(await dumpClone(options, clone))
  return tables
}

async function dumpClone(
  { clickhouse, writer, earlier }: DumpClones,
  { table, clone }: Clone,
): Promise<ClickHouseTable> {
  const columns = await listColumns(clickhouse, clone)
  const known = knownParts(earlier, table, columns)
  const parts: ClickHousePart[] = []
  for (const part of await listParts(clickhouse, clone)) {
    const { key, rows } = part
    const before = known.get(key)
    if (before !== undefined && writer.holds(before.objects)) {
      parts.push(before)
      continue
    }
    const writing: Promise<ObjectRef>[] = []
    for await (const piece of readPart(clickhouse, { clone, columns, part })) {
      writing.push((await writer.add(piece)).done)
    }
    parts.push({ key, rows, objects: await Promise.all(writing) })
  }
  return { name: table, columns, ...sumsOf(parts.flatMap(({ objects }) => objects)), parts }
}

function knownParts(
  earlier: readonly Manifest[],
  table: string,
  columns: readonly string[],
): Map<string, ClickHousePart> {
  const tables = earlier
    .flatMap(({ clickhouse }) => clickhouse.tables)
    .filter((one) => one.name === table && one.columns.join() === columns.join())
  return new Map(tables.flatMap(({ parts }) => parts.map((part) => [part.key, part])))
}
