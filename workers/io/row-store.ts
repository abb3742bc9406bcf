/** Inserts rows under a token: the same token a second time changes nothing, which makes a retry harmless. */
import { Readable } from 'node:stream'
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { eventColumns } from '../digest/event-row.ts'
import { outcomeColumns } from '../digest/outcome-tally.ts'

export interface RowInsert {
  readonly table: 'events' | 'outcomes'
  /** RowBinary. */
  readonly rows: Uint8Array
  readonly token: string
}

const columns = { events: eventColumns, outcomes: outcomeColumns }

export async function insertRows(clickhouse: ClickHouseClient, insert: RowInsert): Promise<void> {
  const { stream } = await clickhouse.exec({
    query: `insert into ${insert.table} (${columns[insert.table].join(', ')}) format RowBinary`,
    values: Readable.from([
      Buffer.from(insert.rows.buffer, insert.rows.byteOffset, insert.rows.byteLength),
    ]),
    clickhouse_settings: {
      insert_deduplicate: 1,
      insert_deduplication_token: insert.token,
      deduplicate_blocks_in_dependent_materialized_views: 1,
      // On by default in new servers; a retry of a batched insert would not be recognised.
      async_insert: 0,
    },
  })
  stream.resume()
}
