import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeQuotedPrintable } from './quoted-printable.ts'

/** Decodes quoted-printable (RFC 2045 §6.7). */
function decode(encoded: string): string {
  const joined = encoded.replace(/=\r\n/g, '')
  const bytes = joined.replace(/=([0-9A-F]{2})/g, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

const texts = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('\n', '\r\n', '.', '=', ' ', '\t', '. ', 'x'.repeat(75), 'é'.repeat(30)),
    ),
  )
  .map((parts) => parts.join(''))

test('every text is decoded to itself, from lines that mail servers do not change', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const encoded = encodeQuotedPrintable(text).toString('latin1')
      expect(encoded).toMatch(/^[\t\r\n\x20-\x7e]*$/)
      for (const line of encoded.split('\r\n')) {
        expect(line.length).toBeLessThanOrEqual(76)
        expect(line).not.toMatch(/^\.|[ \t]$|[\r\n]/)
      }
      expect(decode(encoded)).toBe(text.toWellFormed().replace(/\r\n|\r|\n/g, '\r\n'))
    }),
    { seed: 20261121, numRuns: 500 },
  )
})
