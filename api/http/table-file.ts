/** Rows of a file that people upload, and cells of one that they take with them: CSV with a line of names, or a JSON array. */
import { CsvError, parse } from 'csv-parse'
import { invalidField } from './invalid-field.ts'

export type FileFormat = 'csv' | 'json'

const recordCharactersMax = 500_000

/**
 * Objects as the file has them; what is wrong with the file as a whole is refused here. `list`: the field under which a page of our
 * own lists has its items; such a page is as good as a bare array.
 */
export async function* readRows(
  text: string,
  { format, rowsMax, list }: { format: FileFormat; rowsMax: number; list?: string },
): AsyncGenerator<unknown> {
  let rows = 0
  for await (const row of format === 'csv' ? csvRows(text) : jsonRows(text, list)) {
    rows += 1
    if (rowsMax < rows) throw invalidField('body', `must have at most ${rowsMax} rows`)
    yield row
  }
}

async function* csvRows(text: string): AsyncGenerator<unknown> {
  const parser = parse(text, {
    bom: true,
    columns: (names: string[]) => names.map((name) => name.trim().toLowerCase()),
    delimiter: [',', ';', '\t'],
    max_record_size: recordCharactersMax,
    relax_column_count: true,
    skip_empty_lines: true,
  })
  try {
    for await (const row of parser) yield withoutGuards(row as Record<string, unknown>)
  } catch (error) {
    if (error instanceof CsvError) throw invalidField('body', `must be CSV: ${error.message}`)
    throw error
  }
}

function* jsonRows(text: string, list: string | undefined): Generator<unknown> {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw invalidField('body', 'must be JSON')
  }
  const page = parsed as Readonly<Record<string, unknown>> | null
  const rows = Array.isArray(parsed) || list === undefined ? parsed : page?.[list]
  if (!Array.isArray(rows)) throw invalidField('body', 'must be a JSON array')
  yield* rows
}

/** A blank cell says nothing; the apostrophe of `csvCell` is none of the text. */
function withoutGuards(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, cell]) => {
      if (typeof cell !== 'string' || cell.trim() === '') return []
      return [[name, unguarded(cell)]]
    }),
  )
}

export type CsvValue = string | number | boolean | null | undefined

export function csvLine(cells: readonly CsvValue[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/** Takes away the apostrophe that `csvCell` put before a cell. */
export function unguarded(cell: string): string {
  return cell.replace(/^'(?='*[=+\-@\t\r])/, '')
}

/** Strangers wrote it, so no cell may begin as a formula does; a text that begins with our guard gets another one, to come back whole. */
function csvCell(value: CsvValue): string {
  const text = String(value ?? '')
  const guarded = /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",;\r\n\t]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
