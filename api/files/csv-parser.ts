/**
 * The only set-up of csv-parse, so that every CSV file is read by the same rules (RFC 4180): a byte
 * order mark and blank lines are skipped, and a row may have fewer or more cells than the header.
 */
import type { Readable } from 'node:stream'
import { CsvError, type Options, parse } from 'csv-parse'

export const csvDelimiters = [',', ';', '\t'] as const
export type CsvDelimiter = (typeof csvDelimiters)[number]

const rules = { bom: true, relax_column_count: true, skip_empty_lines: true } as const

/** Describes what is wrong with a file that is not CSV; undefined for every other error. */
export function csvErrorText(error: unknown): string | undefined {
  return error instanceof CsvError ? error.message : undefined
}

export interface CsvOptions {
  /** A list: each of them separates cells. */
  readonly delimiter: CsvDelimiter | readonly CsvDelimiter[]
  /** Longest record, in characters. A longer one is a `CsvError`. */
  readonly recordCharactersMax: number
  /** Makes records objects: maps the cells of the header to the names of their fields. */
  readonly columns?: (header: string[]) => string[]
  /** Skips the header and yields `{ record, info }`, with the line and the bytes read so far. */
  readonly withPositions?: boolean
  /** Records go into this list instead of being yielded, as soon as they are parsed. */
  readonly into?: string[][]
}

/** Yields the records of a stream of UTF-8. Throws `CsvError`, which names the line. */
export async function* parseCsv(bytes: Readable, options: CsvOptions): AsyncGenerator<unknown> {
  const parser = parse(parserOptions(options))
  // `pipe` does not forward errors; without this the parser would wait for ever.
  bytes.on('error', (error) => parser.destroy(error))
  bytes.pipe(parser)
  try {
    yield* parser
  } finally {
    bytes.destroy()
  }
}

function parserOptions(options: CsvOptions): Options {
  const { delimiter, recordCharactersMax, columns, withPositions, into } = options
  return {
    ...rules,
    delimiter: typeof delimiter === 'string' ? delimiter : [...delimiter],
    max_record_size: recordCharactersMax,
    ...(columns === undefined ? {} : { columns }),
    ...(withPositions === true ? { from: 2, info: true } : {}),
    ...(into === undefined ? {} : { on_record: keptIn(into) }),
  }
}

/** csv-parse yields no record for null. */
function keptIn(records: string[][]) {
  return (record: string[]): null => {
    records.push(record)
    return null
  }
}

/** The delimiter that occurs most often in the header, outside of quotes. */
export function delimiterOfHeader(header: string): CsvDelimiter {
  const unquoted = header.replace(/"[^"]*"/g, '')
  const count = (delimiter: string) => unquoted.split(delimiter).length
  return csvDelimiters.reduce((best, next) => (count(best) < count(next) ? next : best))
}
