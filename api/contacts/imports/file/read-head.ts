/** Reads the beginning of a file: its delimiter, the names of its columns and the first rows. */
import { parseEmailAddress } from '#schemas/email-address.ts'
import type { ImportPlan, TextEncodingName } from '#schemas/rest/email/contact-import.ts'
import { delimiterOfHeader } from '../../../files/csv-parser.ts'
import { firstCsvRecords } from '../../../files/csv-records.ts'
import { invalidField } from '../../../http/validation/invalid-field.ts'

export const headBytesMax = 64 * 1024
const columnsMax = 200
const nameCharactersMax = 200
const recordsMax = 100

export interface FileHead {
  readonly delimiter: ImportPlan['delimiter']
  /** The header as in the file, trimmed. */
  readonly names: readonly string[]
  /** Up to `recordsMax` first rows. */
  readonly rows: readonly (readonly string[])[]
}

/** `start`: at least the first `headBytesMax` bytes of the file, or all of it. */
export async function readHead(start: Uint8Array, encoding: TextEncodingName): Promise<FileHead> {
  const bytes = start.subarray(0, headBytesMax)
  const text = new TextDecoder(encoding).decode(bytes, { stream: true })
  const [line = ''] = text.split(/\r\n|\r|\n/, 1)
  if (headBytesMax <= start.length && line.length === text.length) throw noNames()
  const delimiter = delimiterOfHeader(line)
  const [names, ...rows] = await firstCsvRecords(text, { delimiter, recordsMax })
  if (names === undefined && text.trim() !== '') throw noNames()
  const trimmed = (names ?? []).map((name) => name.trim())
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

function noNames() {
  return invalidField(
    'file',
    `must begin with a line of column names, of at most ${headBytesMax} bytes`,
  )
}
