/**
 * The columns of Postgres in which a person is searched: all text and JSON of the tables that
 * belong to organizations and projects, as the database itself lists them. Columns of keys are left
 * out, and those that the catalogue calls names.
 */
// cspell:ignore attrelid indrelid attnum indkey indisunique attname
import {
  type PostgresTable,
  peopleTables,
  postgresTables,
} from '#schemas/stored-data/postgres-tables.ts'
import type { Scope } from '#schemas/stored-data/scope.ts'
import type { PersonPattern } from '../text/person-pattern.ts'
import type { Queryable } from './erase-address-store.ts'

export interface SearchedColumn {
  readonly name: string
  readonly type: 'text' | 'json' | 'jsonb'
}

export interface SearchedTable {
  readonly table: PostgresTable
  readonly columns: readonly SearchedColumn[]
}

export async function readSearchedTables(pg: Queryable): Promise<SearchedTable[]> {
  const { rows } = await pg.query<{ table: string; name: string; type: SearchedColumn['type'] }>(
    `select c.table_name as table, c.column_name as name, c.data_type as type
     from information_schema.columns c
     where c.table_schema = current_schema() and c.data_type in ('text', 'json', 'jsonb')
       and c.is_generated = 'NEVER'
       and not exists (
         select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
         where i.indisunique and i.indrelid = to_regclass(quote_ident(c.table_name)) and a.attname = c.column_name
       )
     order by c.table_name, c.ordinal_position`,
  )
  return postgresTables.flatMap((table) => {
    const columns = rows.filter(
      (row) => row.table === table.name && !(table.names ?? []).includes(row.name),
    )
    return columns.length === 0 ? [] : [{ table, columns }]
  })
}

/** The tables of people are not searched: an address of a login is changed by its owner. */
export const unsearchedTables: ReadonlySet<string> = new Set(peopleTables)

/** The condition of the rows of a scope in which a column holds one of the patterns. */
export function foundIn({ table, columns }: SearchedTable, scope: Scope, patterns: PatternSql) {
  const matches = columns.flatMap((column) => patterns.matches(column))
  return `${table.rows(scope)} and ${patterns.named} and (${matches.join(' or ')})`
}

export interface PatternSql {
  readonly matches: (column: SearchedColumn) => readonly string[]
  /** The erased value of a column. */
  readonly erased: (column: SearchedColumn) => string
  /** Parameters of the statement, which the conditions refer to as $1, $2 … */
  readonly values: readonly string[]
  /** A true condition that names all parameters: Postgres refuses those without a type. */
  readonly named: string
}

/** @param replacement `\1` and `\2` are what stands before and after the address. */
export function patternSql(patterns: readonly PersonPattern[], replacement: string): PatternSql {
  const values = patterns.flatMap(({ text, json }) => [text, json])
  const parameterOf = (index: number, { type }: SearchedColumn) =>
    `$${index * 2 + (type === 'text' ? 1 : 2)}::text`
  return {
    values,
    named: `num_nulls(${values.map((_, index) => `$${index + 1}::text`).join(', ')}) = 0`,
    matches: (column) =>
      patterns.map((_, index) => `${column.name}::text ~* ${parameterOf(index, column)}`),
    erased: (column) => {
      let sql = `${column.name}::text`
      for (const [index] of patterns.entries()) {
        // Twice, because two neighbours may share the character between them.
        for (const _ of [1, 2]) {
          sql = `regexp_replace(${sql}, ${parameterOf(index, column)}, '\\1${replacement}\\2', 'gi')`
        }
      }
      return `(${sql})::${column.type}`
    },
  }
}
