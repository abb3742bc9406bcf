/** Reads the parts of a cloned table in pieces of bounded size, in the Native format. */
import { ClickHouseError } from '@clickhouse/client'
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
const pieceBytesMax = 64 * 1024 ** 2
/** TOO_MANY_ROWS_OR_BYTES, MEMORY_LIMIT_EXCEEDED. */
const tooLargeCodes = new Set(['396', '241'])

export async function listParts(clickhouse: ClickHouseClient, clone: string): Promise<PartInfo[]> {
  const parts = await select<{ name: string; rows: number; hash: string; bytes: number }>(
    clickhouse,
    // `hash_of_uncompressed_files` would leave the data out: it is of indexes and marks.
    `select name, rows, data_uncompressed_bytes as bytes,
       concat(hash_of_all_files, uncompressed_hash_of_compressed_files) as hash
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

interface PartSource {
  readonly clone: string
  readonly columns: readonly string[]
  readonly part: PartInfo
}

interface RowRange {
  readonly start: number
  readonly rows: number
}

/** Rows may differ in size by orders of magnitude, so a piece that is too large is halved. */
export async function* readPart(
  clickhouse: ClickHouseClient,
  source: PartSource,
): AsyncGenerator<Piece> {
  const { part } = source
  const rowBytes = Math.max(1, part.bytes / part.rows)
  const granules = Math.max(1, Math.floor(pieceBytesWanted / rowBytes / granuleRows))
  // Rows of more than 2 KiB: a granule is more than a piece.
  const pieceRows =
    granules > 1 ? granules * granuleRows : Math.max(1, Math.floor(pieceBytesWanted / rowBytes))
  for (let next = 0; next < part.rows; next += pieceRows) {
    const waiting: RowRange[] = [{ start: next, rows: Math.min(pieceRows, part.rows - next) }]
    while (waiting.length > 0) {
      const { start, rows } = waiting.pop()!
      const bytes = await readPiece(clickhouse, source, { start, rows })
      if (bytes !== 'too large') {
        yield { bytes, rows }
        continue
      }
      const half = Math.ceil(rows / 2)
      waiting.push({ start: start + half, rows: rows - half }, { start, rows: half })
    }
  }
}

/**
 * ClickHouse 26.7 finds no row in a small part by `_part` and `_part_offset` when its table has a
 * projection.
 */
const withoutProjections = { optimize_use_projections: 0 } as const

async function readPiece(
  clickhouse: ClickHouseClient,
  { clone, columns, part }: PartSource,
  { start, rows }: RowRange,
): Promise<Buffer | 'too large'> {
  const chunks: Buffer[] = []
  const where = `_part = {part: String} and _part_offset >= {start: UInt64} and _part_offset < {stop: UInt64}`
  const parameters = { part: part.name, start, stop: start + rows }
  try {
    const { stream } = await clickhouse.exec({
      query: `select ${columns.map(quotedName).join(', ')} from ${quotedName(clone)}
              where ${where} order by _part_offset format Native`,
      query_params: parameters,
      clickhouse_settings: {
        ...withoutProjections,
        // Together with the order: one block holds all rows.
        max_threads: 1,
        max_block_size: String(rows),
        preferred_block_size_bytes: '0',
        preferred_max_column_in_block_size_bytes: '0',
        // A single row is read, however large.
        max_result_bytes: String(rows === 1 ? 0 : pieceBytesMax),
        result_overflow_mode: 'throw',
      },
    })
    for await (const chunk of stream) chunks.push(chunk as Buffer)
  } catch (error) {
    const isTooLarge = error instanceof ClickHouseError && tooLargeCodes.has(error.code)
    if (isTooLarge && rows > 1) return 'too large'
    throw error
  }
  const bytes = Buffer.concat(chunks)
  if (rowsOfFirstBlock(bytes) === rows) return bytes
  // A server may have sent several blocks.
  const [row] = await select<{ n: number }>(
    clickhouse,
    `select count() as n from ${quotedName(clone)} where ${where}
     settings optimize_use_projections = 0`,
    parameters,
  )
  if (row?.n === rows && rowsOfFirstBlock(bytes) < rows) return bytes
  throw new Error(
    `part ${part.name} of ${clone} has ${row?.n} rows from row ${start} instead of ${rows}`,
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
