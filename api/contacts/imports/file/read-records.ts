/** The records of a CSV file (RFC 4180) below its line of names, one after another: read as they are needed. */
import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import type { ImportPlan } from '#schemas/rest/email/contact-import.ts'
import { asUtf8 } from './text-encoding.ts'

const rowBytesMax = 64 * 1024

export interface FileRecord {
  readonly record: string[]
  /** `bytes`: of the file as UTF-8, up to the end of the record. */
  readonly info: { readonly lines: number; readonly bytes: number }
}

/** Throws when the file is no CSV, with the line. */
export async function* readRecords(
  file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { encoding, delimiter }: Pick<ImportPlan, 'encoding' | 'delimiter'>,
): AsyncGenerator<FileRecord> {
  const bytes = Readable.from(asUtf8(file, encoding))
  const parser = parse({
    delimiter,
    bom: true,
    from: 2,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: rowBytesMax,
  })
  // `pipe` does not hand on errors, and the parser would wait for ever.
  bytes.on('error', (error) => parser.destroy(error))
  bytes.pipe(parser)
  try {
    yield* parser as AsyncIterable<FileRecord>
  } finally {
    bytes.destroy()
  }
}
