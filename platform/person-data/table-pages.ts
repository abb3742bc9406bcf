import assert from 'node:assert'
import type { Queryable } from './erase-address-store.ts'

/** Pages of 8 KiB that one statement reads of a table without an index for its condition. */
const pagesPerBatch = 2_000

/**
 * Yields a condition for each part of the table, so that no statement reads all of it. Rows that
 * are added or moved meanwhile may be missed.
 */
export async function* tablePages(pg: Queryable, table: string): AsyncGenerator<string> {
  assert(/^[a-z_]+$/.test(table))
  const { rows } = await pg.query<{ pages: number }>(
    `select (pg_relation_size('${table}') / current_setting('block_size')::int)::int as pages`,
  )
  const pageCount = rows[0]?.pages ?? 0
  for (let from = 0; from < pageCount; from += pagesPerBatch) {
    yield `ctid >= '(${from},0)'::tid and ctid < '(${from + pagesPerBatch},0)'::tid`
  }
}
