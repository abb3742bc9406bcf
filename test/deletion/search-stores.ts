/** Searches every column of every table of both stores for a text, in its usual encodings. */
import type { ApiFixture } from '../fixtures/api-fixture.ts'

/**
 * Returns `table.column` of every place that contains one of the texts in any case. Bytes are
 * searched as text of one byte per character.
 */
export async function searchStores(api: ApiFixture, texts: readonly string[]): Promise<string[]> {
  const found: string[] = []
  const { rows: columns } = await api.pool.query<{ table: string; column: string; type: string }>(
    `select c.table_schema || '.' || quote_ident(c.table_name) as table, quote_ident(c.column_name) as column, c.data_type as type
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema not in ('pg_catalog', 'information_schema') and t.table_type = 'BASE TABLE'
     order by 1, 2`,
  )
  for (const { table, column, type } of columns) {
    const text = type === 'bytea' ? `encode(${column}, 'escape')` : `${column}::text`
    for (const wanted of texts) {
      const { rowCount } = await api.pool.query(
        `select from ${table} where position(lower($1) in lower(${text})) > 0 limit 1`,
        [wanted],
      )
      if (rowCount !== 0) found.push(`${table}.${column}`)
    }
  }
  const answer = await api.clickhouse.query({
    query: `select table, name from system.columns where database = currentDatabase()`,
    format: 'JSONEachRow',
  })
  for (const { table, name } of await answer.json<{ table: string; name: string }>()) {
    for (const wanted of texts) {
      const result = await api.clickhouse.query({
        query: `select count() > 0 as found from ${table}
                where positionCaseInsensitiveUTF8(toString(${name}), {wanted: String}) > 0`,
        query_params: { wanted },
        format: 'JSONEachRow',
      })
      if ((await result.json<{ found: number }>())[0]?.found) found.push(`${table}.${name}`)
    }
  }
  return [...new Set(found)]
}
