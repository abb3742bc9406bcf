/** Rows of a table out of and into Postgres, in the text format of COPY. */
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import pgCopy from 'pg-copy-streams'
import type { Connection } from './connection-store.ts'
import { quoted, quotedTable, type TableInfo } from './tables-store.ts'

/** Yields the rows in the order of the primary key, in chunks that end anywhere. */
export async function* copyOut(client: Connection, table: TableInfo): AsyncGenerator<Buffer> {
  const columns = table.columns.map(quoted).join(', ')
  const order = table.order.length === 0 ? '' : ` order by ${table.order.map(quoted).join(', ')}`
  const stream = client.query(
    pgCopy.to(`copy (select ${columns} from ${quotedTable(table)}${order}) to stdout`),
  )
  for await (const chunk of stream) yield chunk as Buffer
}

/** Returns how many rows Postgres stored. One statement: it stores all rows or none. */
export async function copyIn(
  client: Connection,
  table: { readonly schema: string; readonly name: string; readonly columns: readonly string[] },
  chunks: AsyncIterable<Buffer>,
): Promise<number> {
  const columns = table.columns.map(quoted).join(', ')
  const stream = client.query(pgCopy.from(`copy ${quotedTable(table)} (${columns}) from stdin`))
  const end = finished(stream)
  // Awaited below; an error of the chunks comes first.
  end.catch(() => undefined)
  try {
    for await (const chunk of chunks) {
      if (!stream.write(chunk)) await Promise.race([once(stream, 'drain'), end])
    }
    stream.end()
  } catch (error) {
    stream.destroy(error as Error)
    throw error
  }
  await end
  return stream.rowCount
}
