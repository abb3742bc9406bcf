import assert from 'node:assert'
import type { Queryable } from './erase-address-store.ts'

/**
 * What one statement reads of a table without an index for its condition, as it lies on the disk.
 * Long texts lie outside of the row and count as well: a search reads them, too, and has to end
 * within the time of a statement.
 */
const bytesPerBatch = 4 * 1024 ** 2

/**
 * Yields a condition for each part of the table, so that no statement reads all of it. Rows that
 * are added or moved meanwhile may be missed.
 */
export async function* tablePages(pg: Queryable, table: string): AsyncGenerator<string> {
  assert(/^[a-z_]+$/.test(table))
  const { rows } = await pg.query<{ pages: number; bytes: number }>(
    `select (pg_relation_size('${table}') / current_setting('block_size')::int)::float8 as pages,
       pg_table_size('${table}')::float8 as bytes`,
  )
  const { pages = 0, bytes = 0 } = rows[0] ?? {}
  const pagesPerBatch = Math.max(1, Math.floor((pages * bytesPerBatch) / Math.max(bytes, 1)))
  for (let from = 0; from < pages; from += pagesPerBatch) {
    yield `ctid >= '(${from},0)'::tid and ctid < '(${from + pagesPerBatch},0)'::tid`
  }
}
