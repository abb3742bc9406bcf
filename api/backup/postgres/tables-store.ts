/** Tables, sequences and migrations of a Postgres database, read from its catalogue. */
import type { Connection } from './connection-store.ts'

// cspell:ignore amname attgenerated attisdropped attname attnum attrelid atttypid deptype
// cspell:ignore indisprimary indkey indrelid nspname opcdefault opcintype opcmethod relkind
// cspell:ignore relnamespace sequencename

/** Schemas of the product. */
export const schemas = ['public', 'graphile_worker'] as const

export interface TableInfo {
  readonly schema: string
  readonly name: string
  /** In order, without generated ones. */
  readonly columns: readonly string[]
  /** Primary key; without one, all columns that have an order. */
  readonly order: readonly string[]
}

export async function readTables(client: Connection): Promise<TableInfo[]> {
  const { rows } = await client.query<TableInfo & { key: string[]; sortable: string[] }>(
    `select n.nspname as schema, c.relname as name,
       array(select a.attname::text from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
             order by a.attnum) as columns,
       array(select a.attname::text from pg_index i
             cross join unnest(i.indkey) with ordinality as k (attnum, place)
             join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
             where i.indrelid = c.oid and i.indisprimary order by k.place) as key,
       array(select a.attname::text from pg_attribute a
             join pg_opclass o on o.opcintype = a.atttypid and o.opcdefault
             join pg_am m on m.oid = o.opcmethod and m.amname = 'btree'
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
             order by a.attnum) as sortable
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname = any($1)
       and not exists (select from pg_depend d
                       where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     order by n.nspname desc, c.relname`,
    [schemas],
  )
  return rows.map(({ schema, name, columns, key, sortable }) => {
    return { schema, name, columns, order: key.length > 0 ? key : sortable }
  })
}

export interface SequenceInfo {
  readonly schema: string
  readonly name: string
  readonly value: string
  readonly isCalled: boolean
}

export async function readSequences(client: Connection): Promise<SequenceInfo[]> {
  const { rows } = await client.query<SequenceInfo>(
    `select schemaname as schema, sequencename as name,
       coalesce(last_value, start_value)::text as value, last_value is not null as "isCalled"
     from pg_sequences where schemaname = any($1) order by 1, 2`,
    [schemas],
  )
  return rows
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function quotedTable({ schema, name }: { schema: string; name: string }): string {
  return `${quoted(schema)}.${quoted(name)}`
}
