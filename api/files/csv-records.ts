/** Yields the records of CSV text, parsed in pieces so that other work of the process can run. */
import { Readable } from 'node:stream'
import { type CsvOptions, parseCsv } from './csv-parser.ts'
import { Slices } from './slices.ts'

const pieceCharacters = 16 * 1024

/** Throws `CsvError` when the text is not CSV. */
export async function* csvRecords(text: string, options: CsvOptions): AsyncGenerator<unknown> {
  const slices = new Slices()
  for await (const record of parseCsv(Readable.from(inPieces(text, slices)), options)) {
    yield record
    await slices.next()
  }
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
