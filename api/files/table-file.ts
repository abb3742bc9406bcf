/**
 * Reads rows of an uploaded file (CSV with a header row, or a JSON array), and writes CSV cells.
 */
import { CsvError } from 'csv-parse'
import { invalidField } from '../http/validation/invalid-field.ts'
import { csvRecords } from './csv-records.ts'
import { JsonFileError, readJson } from './json-reader.ts'
import { Slices } from './slices.ts'

export type FileFormat = 'csv' | 'json'

const recordCharactersDefault = 500_000
const columnsMax = 1_000

/**
 * Yields the rows as objects, unvalidated. Throws if the file as a whole is invalid.
 * @param file `list`: field of the items in a page of our own API, which is read like an array.
 */
export async function* readRows(
  text: string,
  file: { format: FileFormat; rowsMax: number; list?: string; recordCharactersMax?: number },
): AsyncGenerator<unknown> {
  const { format, rowsMax, list, recordCharactersMax = recordCharactersDefault } = file
  let rows = 0
  const all = format === 'csv' ? csvRows(text, recordCharactersMax) : jsonRows(text, list)
  for await (const row of all) {
    rows += 1
    if (rowsMax < rows) throw invalidField('body', `must have at most ${rowsMax} rows`)
    yield row
  }
}

async function* csvRows(text: string, recordCharactersMax: number): AsyncGenerator<unknown> {
  const records = csvRecords(text, {
    bom: true,
    columns: (names: string[]) => {
      if (columnsMax < names.length) {
        throw invalidField('body', `must have at most ${columnsMax} columns, not ${names.length}`)
      }
      return names.map((name) => name.trim().toLowerCase())
    },
    delimiter: delimiterOf(text),
    max_record_size: recordCharactersMax,
    relax_column_count: true,
    skip_empty_lines: true,
  })
  try {
    for await (const row of records) yield withoutGuards(row as Record<string, unknown>)
  } catch (error) {
    if (error instanceof CsvError) throw invalidField('body', `must be CSV: ${error.message}`)
    throw error
  }
}

/**
 * The most frequent separator of the header row. Other separators are part of the text of cells.
 */
function delimiterOf(text: string): string {
  const [names = ''] = text
    .slice(0, namesCharactersMax)
    .replace(/"[^"]*"/g, '')
    .split(/[\r\n]/, 1)
  const counted = delimiters.map((delimiter) => names.split(delimiter).length)
  return delimiters[counted.indexOf(Math.max(...counted))] ?? ','
}

const namesCharactersMax = 65_536
const delimiters = [',', ';', '\t'] as const

async function* jsonRows(text: string, list: string | undefined): AsyncGenerator<unknown> {
  const isList = (path: readonly string[]) =>
    path.length === 0 || (path.length === 1 && path[0] === list)
  const slices = new Slices()
  const steps = readJson(text, isList)
  try {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) {
        const page = step.value as Readonly<Record<string, unknown>> | null
        const rows = Array.isArray(page) || list === undefined ? page : page?.[list]
        if (!Array.isArray(rows)) throw invalidField('body', 'must be a JSON array')
        return
      }
      if (step.value !== undefined) yield step.value.item
      await slices.next()
    }
  } catch (error) {
    if (error instanceof JsonFileError) throw invalidField('body', error.message)
    throw error
  }
}

/** Omits blank cells, and removes the apostrophe that `csvCell` adds. */
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

/** Removes the apostrophe that `csvCell` adds. */
export function unguarded(cell: string): string {
  return cell.replace(/^'(?='*[=+\-@\t\r])/, '')
}

/**
 * * Adds an apostrophe to a cell that a spreadsheet would run as a formula, and to a text that
 * begins like such a guarded cell, so that the import restores both.
 */
function csvCell(value: CsvValue): string {
  const text = String(value ?? '')
  const guarded = /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",;\r\n\t]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
