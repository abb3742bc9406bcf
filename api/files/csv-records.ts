/** Yields the records of CSV text, parsed in pieces so that other work of the process can run. */
import { Readable } from 'node:stream'
import { type CsvDelimiter, type CsvOptions, csvErrorText, parseCsv } from './csv-parser.ts'
import { Slices } from './slices.ts'

const pieceCharacters = 4 * 1024

/** Throws `CsvError` when the text is not CSV. */
export async function* csvRecords(text: string, options: CsvOptions): AsyncGenerator<unknown> {
  const slices = new Slices()
  for await (const record of parseCsv(Readable.from(inPieces(text, slices)), options)) {
    yield record
    await slices.next()
  }
}

/** Reads the beginning of a file, whose end may cut a record: returns the records before it. */
export async function firstCsvRecords(
  text: string,
  { delimiter, recordsMax }: { delimiter: CsvDelimiter; recordsMax: number },
): Promise<string[][]> {
  const into: string[][] = []
  const options = { delimiter, recordCharactersMax: text.length, into }
  // The option `to` of csv-parse is an error when it is reached within a stream.
  async function* untilEnough(): AsyncGenerator<Buffer> {
    for await (const piece of inPieces(text, new Slices())) {
      if (recordsMax <= into.length) return
      yield piece
    }
  }
  try {
    for await (const _ of parseCsv(Readable.from(untilEnough()), options));
  } catch (error) {
    // A later pass over the whole file reports its errors.
    if (csvErrorText(error) === undefined) throw error
  }
  return into.slice(0, recordsMax)
}

async function* inPieces(text: string, slices: Slices): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; ) {
    const end = pieceEnd(text, at + pieceCharacters)
    yield Buffer.from(text.slice(at, end), 'utf8')
    at = end
    await slices.next()
  }
}

/** Never within a surrogate pair, because half a pair cannot be encoded as UTF-8. */
function pieceEnd(text: string, end: number): number {
  const next = text.charCodeAt(end)
  return 0xdc00 <= next && next <= 0xdfff ? end + 1 : end
}
