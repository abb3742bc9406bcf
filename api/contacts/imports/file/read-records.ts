/** Reads the records below the header of a CSV file one after another, as the caller needs them. */
import { Readable } from 'node:stream'
import type { ImportPlan } from '#schemas/rest/email/contact-import.ts'
import { parseCsv } from '../../../files/csv-parser.ts'
import { asUtf8 } from '../../../files/text-encoding.ts'

export const recordCharactersMax = 64 * 1024

export interface FileRecord {
  readonly record: string[]
  /** `bytes`: position of the end of the record in the file, counted in UTF-8. */
  readonly info: { readonly lines: number; readonly bytes: number }
}

/** Throws `CsvError` with the line when the file is not CSV. */
export async function* readRecords(
  file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { encoding, delimiter }: Pick<ImportPlan, 'encoding' | 'delimiter'>,
): AsyncGenerator<FileRecord> {
  const bytes = Readable.from(asUtf8(file, encoding))
  const options = { delimiter, recordCharactersMax, withPositions: true }
  yield* parseCsv(bytes, options) as AsyncGenerator<FileRecord>
}
