import fc from 'fast-check'
import { expect, test } from 'vitest'
import { piecesOf } from './html-pieces.ts'

/** What the scanner reads, said by an expression that takes quadratic time. */
const reference =
  /<!--[\s\S]*?-->|<style\b[^>]*>[\s\S]*?<\/style>|<[/!]?[a-z](?:[^"'>]|"[^"]*"|'[^']*')*>/gi

function referencePieces(html: string): string[] {
  const pieces: string[] = []
  let from = 0
  for (const match of html.matchAll(reference)) {
    if (from < match.index) pieces.push(html.slice(from, match.index))
    pieces.push(match[0])
    from = match.index + match[0].length
  }
  return from < html.length ? [...pieces, html.slice(from)] : pieces
}

// biome-ignore format: one line for each kind.
const token = fc.constantFrom(
  '<', '>', '"', "'", '/', '!', 'a', ' ', '=', '<p ', '</p>', '<!--', '-->', '<!', '<style', '</style>', '<STYLE>', '<style-x>', 'x', '\n',
)

test('markup is taken apart as the expression says, and put together again it is the same', () => {
  fc.assert(
    fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
      const html = tokens.join('')
      const pieces = [...piecesOf(html)]
      expect(pieces.map((piece) => piece.html)).toEqual(referencePieces(html))
      for (const { html: piece, offset } of pieces) {
        expect(html.startsWith(piece, offset)).toBe(true)
      }
    }),
    { numRuns: 3_000 },
  )
})
