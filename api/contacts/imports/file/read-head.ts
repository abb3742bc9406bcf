/** The beginning of a file: the names of its columns, and the rows that follow as far as they are at hand. */
import { parse } from 'csv-parse/sync'
import { parseEmailAddress } from '#schemas/email-address.ts'
import type { ImportPlan, TextEncodingName } from '#schemas/rest/email/contact-import.ts'
import { invalidField } from '../../../http/validation/invalid-field.ts'

export const headBytesMax = 64 * 1024
const columnsMax = 200
const nameCharactersMax = 200
const rowsMax = 100
const delimiters = [',', ';', '\t'] as const

export interface FileHead {
  readonly delimiter: ImportPlan['delimiter']
  /** As they stand in the file, trimmed. */
  readonly names: readonly string[]
  /** Some of the first rows. */
  readonly rows: readonly (readonly string[])[]
}

/** `start`: at least the first `headBytesMax` bytes of the file, or all of it. */
export function readHead(start: Uint8Array, encoding: TextEncodingName): FileHead {
  const bytes = start.subarray(0, headBytesMax)
  const text = new TextDecoder(encoding).decode(bytes, { stream: true })
  const [line = ''] = text.split(/\r\n|\r|\n/, 1)
  if (headBytesMax <= start.length && line.length === text.length) throw noNames()
  const delimiter = likeliestDelimiter(line)
  const [names = [], ...rows] = records(text, delimiter)
  const trimmed = names.map((name) => name.trim())
  if (trimmed.every((name) => name === '')) throw invalidField('file', 'must not be empty')
  if (columnsMax < trimmed.length) {
    throw invalidField('file', `must have at most ${columnsMax} columns, not ${trimmed.length}`)
  }
  if (trimmed.some((name) => nameCharactersMax < name.length)) {
    throw invalidField(
      'file',
      `must have names of columns of at most ${nameCharactersMax} characters in its first line`,
    )
  }
  if (trimmed.some((name) => /[\p{Cc}\ufffd]/u.test(name))) {
    throw invalidField('file', 'must have names of columns without control characters')
  }
  if (trimmed.some((name) => parseEmailAddress(name).kind === 'address')) {
    throw invalidField('file', 'must have names of columns in its first line, not an address')
  }
  return { delimiter, names: trimmed, rows }
}

function records(text: string, delimiter: string): string[][] {
  const found: string[][] = []
  try {
    parse(text, {
      delimiter,
      bom: true,
      to: rowsMax,
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: (record: string[]) => {
        found.push(record)
        return null
      },
    })
  } catch {
    // The end of the text may cut a row; what is wrong with the file is told when it is read from end to end.
    if (found.length === 0) throw noNames()
  }
  return found
}

function likeliestDelimiter(line: string): ImportPlan['delimiter'] {
  const count = (delimiter: string) => line.split(delimiter).length
  return delimiters.reduce((best, delimiter) => (count(best) < count(delimiter) ? delimiter : best))
}

function noNames() {
  return invalidField(
    'file',
    `must begin with a line of column names, of at most ${headBytesMax} bytes`,
  )
}
