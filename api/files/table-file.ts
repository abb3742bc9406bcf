/** Rows of uploaded files, and cells of exported ones: CSV with a header, or a JSON array. */
import { invalidField } from '../http/validation/invalid-field.ts'
import { csvErrorText, delimiterOfHeader } from './csv-parser.ts'
import { csvRecords } from './csv-records.ts'
import { JsonFileError, readJson } from './json-reader.ts'
import { Slices } from './slices.ts'

export type FileFormat = 'csv' | 'json'

const recordCharactersDefault = 500_000
const columnsMax = 1_000

/**
 * Yields the rows as objects and throws when the file as a whole is invalid. `list`: the field that
 * holds the items of a page of our own API; a JSON file may be such a page instead of a bare array.
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
    columns: (names) => {
      if (columnsMax < names.length) {
        throw invalidField('body', `must have at most ${columnsMax} columns, not ${names.length}`)
      }
      return names.map((name) => name.trim().toLowerCase())
    },
    delimiter: delimiterOfHeader(headerOf(text)),
    recordCharactersMax,
  })
  try {
    for await (const row of records) yield withoutGuards(row as Record<string, unknown>)
  } catch (error) {
    const text = csvErrorText(error)
    throw text === undefined ? error : invalidField('body', `must be CSV: ${text}`)
  }
}

/** Quoted cells are removed first, because they may hold line breaks. */
function headerOf(text: string): string {
  const start = text.slice(0, headerCharactersMax).replace(/"[^"]*"/g, '')
  return start.split(/[\r\n]/, 1)[0]!
}

const headerCharactersMax = 65_536

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

/** Leaves out blank cells, and removes the apostrophe that `csvCell` adds. */
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

/** Removes the apostrophe that `csvCell` adds before a formula. */
export function unguarded(cell: string): string {
  return cell.replace(/^'(?='*[=+\-@\t\r])/, '')
}

/**
 * Cells hold text of strangers, so none may begin like a spreadsheet formula. Text that already
 * begins with the guard gets another one, so that an import restores it exactly.
 */
function csvCell(value: CsvValue): string {
  const text = String(value ?? '')
  const guarded = /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",;\r\n\t]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
