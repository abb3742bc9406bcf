/** Reads the parts of a cloned table in pieces of bounded size, in the Native format. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { quotedName, select } from './connection-store.ts'

export interface PartInfo {
  readonly name: string
  readonly rows: number
  /** Identifies the content: two parts with the same key hold the same rows. */
  readonly key: string
  readonly bytes: number
}

/** Rows that lie together on disk; a piece holds a multiple of them. */
const granuleRows = 8_192
const pieceBytesWanted = 16 * 1024 ** 2

export async function listParts(clickhouse: ClickHouseClient, clone: string): Promise<PartInfo[]> {
  const parts = await select<{ name: string; rows: number; hash: string; bytes: number }>(
    clickhouse,
    `select name, rows, hash_of_uncompressed_files as hash, data_uncompressed_bytes as bytes
     from system.parts where active and database = currentDatabase() and table = {clone: String}
     order by partition_id, min_block_number, name`,
    { clone },
  )
  return parts
    .filter(({ rows }) => rows > 0)
    .map(({ name, rows, hash, bytes }) => ({ name, rows, bytes, key: `${hash}:${rows}` }))
}

/** Columns that are stored; others are computed. */
export async function listColumns(clickhouse: ClickHouseClient, table: string): Promise<string[]> {
  const columns = await select<{ name: string }>(
    clickhouse,
    `select name from system.columns
     where database = currentDatabase() and table = {table: String}
       and default_kind in ('', 'DEFAULT') order by position`,
    { table },
  )
  return columns.map(({ name }) => name)
}

export interface Piece {
  readonly bytes: Buffer
  readonly rows: number
}

export async function* readPart(
  clickhouse: ClickHouseClient,
  from: { readonly clone: string; readonly columns: readonly string[]; readonly part: PartInfo },
): AsyncGenerator<Piece> {
  const { part } = from
  const rowBytes = Math.max(1, part.bytes / part.rows)
  const granules = Math.max(1, Math.floor(pieceBytesWanted / rowBytes / granuleRows))
  // Rows of more than 2 KiB: a granule is more than a piece.
  const pieceRows =
    granules > 1 ? granules * granuleRows : Math.max(1, Math.floor(pieceBytesWanted / rowBytes))
  for (let start = 0; start < part.rows; start += pieceRows) {
    const rows = Math.min(pieceRows, part.rows - start)
    const bytes = await readPiece(clickhouse, { ...from, start, rows })
    yield { bytes, rows }
  }
}

async function readPiece(
  clickhouse: ClickHouseClient,
  piece: {
    readonly clone: string
    readonly columns: readonly string[]
    readonly part: PartInfo
    readonly start: number
    readonly rows: number
  },
): Promise<Buffer> {
  const { clone, columns, part, start, rows } = piece
  const { stream } = await clickhouse.exec({
    query: `select ${columns.map(quotedName).join(', ')} from ${quotedName(clone)}
            where _part = {part: String} and _part_offset >= {start: UInt64} and _part_offset < {stop: UInt64}
            format Native`,
    query_params: { part: part.name, start, stop: start + rows },
    clickhouse_settings: {
      // One thread reads the rows in their order, and one block holds all of them.
      max_threads: 1,
      max_block_size: String(rows),
      preferred_block_size_bytes: '0',
      preferred_max_column_in_block_size_bytes: '0',
      use_query_condition_cache: 0,
      apply_deleted_mask: 0,
    },
  })
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const read = rowsOfFirstBlock(bytes)
  if (read === rows) return bytes
  throw new Error(
    `part ${part.name} of ${clone}: read ${read} rows from row ${start} instead of ${rows}`,
  )
}

/** A block begins with the number of its columns and the number of its rows, as varints. */
export function rowsOfFirstBlock(bytes: Buffer): number {
  const columns = varint(bytes, 0)
  return varint(bytes, columns.next).value
}

function varint(bytes: Buffer, at: number): { readonly value: number; readonly next: number } {
  let value = 0
  for (let index = 0; index < 7; index += 1) {
    const byte = bytes[at + index]
    if (byte === undefined) return { value: 0, next: at }
    value += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) return { value, next: at + index + 1 }
  }
  return { value: 0, next: at }
}
