/**
 * Finds JSON fields in the cells of a file that look like an opt-out, before the file is stored.
 */
import type { ImportPlan, JsonColumn } from '#schemas/rest/email/contact-import.ts'
import { csvErrorText } from '../../../files/csv-parser.ts'
import { unguarded } from '../../../files/table-file.ts'
import { invalidField } from '../../../http/validation/invalid-field.ts'
import { optOutPaths } from './json-fields.ts'
import { readRecords } from './read-records.ts'

/** Equal to the limit of columns. */
const foundMax = 200
const openingBrace = '{'.charCodeAt(0)

export interface JsonOptOut extends JsonColumn {
  /** Line of the first occurrence. */
  readonly line: number
}

/**
 * Returns the fields in the order of the file. Invalid CSV is read up to the error, as by imports.
 */
export async function findJsonOptOuts(
  open: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  {
    columns,
    ...written
  }: Pick<ImportPlan, 'encoding' | 'delimiter'> & {
    /** Indexes of the columns to search. */
    readonly columns: readonly number[]
  },
): Promise<readonly JsonOptOut[]> {
  const found = new Map<string, JsonOptOut>()
  if (columns.length === 0 || !(await hasBrace(open()))) return []
  try {
    for await (const { record, info } of readRecords(open(), written)) {
      for (const column of columns) {
        for (const path of optOutPaths(unguarded(record[column] ?? '').trim())) {
          const key = JSON.stringify([column, path])
          if (found.has(key)) continue
          found.set(key, { column, path: [...path], line: info.lines })
          if (foundMax < found.size) throw tooMany(info.lines)
        }
      }
    }
  } catch (error) {
    if (csvErrorText(error) === undefined) throw error
  }
  return [...found.values()]
}

/** Most files contain no JSON, so they need not be parsed twice. */
async function hasBrace(file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<boolean> {
  for await (const bytes of file) if (bytes.includes(openingBrace)) return true
  return false
}

function tooMany(line: number) {
  return invalidField(
    'file',
    `must have at most ${foundMax} different fields of JSON that look like an opt-out, and has more up to line ${line}. Ignore the columns that hold them`,
  )
}
