/**
 * The records of CSV text, parsed a piece at a time, so that other work of the process runs in
 * between.
 */
import { Readable } from 'node:stream'
import { type Options, parse } from 'csv-parse'
import { Slices } from './slices.ts'

const pieceCharacters = 16 * 1024

/** Throws `CsvError` when the text is not CSV. */
export async function* csvRecords(text: string, options: Options): AsyncGenerator<unknown> {
  const slices = new Slices()
  const parser = parse(options)
  const pieces = Readable.from(inPieces(text, slices))
  // `pipe` does not hand on errors, and the parser would wait for ever.
  pieces.on('error', (error) => parser.destroy(error))
  pieces.pipe(parser)
  try {
    for await (const record of parser) {
      yield record
      await slices.next()
    }
  } finally {
    pieces.destroy()
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

/** Never within a surrogate pair, which would not survive as UTF-8. */
function pieceEnd(text: string, end: number): number {
  const next = text.charCodeAt(end)
  return 0xdc00 <= next && next <= 0xdfff ? end + 1 : end
}
