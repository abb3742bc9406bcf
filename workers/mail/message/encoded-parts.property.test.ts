import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Contact, fillParts, type Part } from '#schemas/mail/compiled-email.ts'
import { EncodedParts } from './encoded-parts.ts'
import { QuotedPrintableWriter } from './quoted-printable.ts'

function encode(parts: readonly Part[], contact: Contact): string {
  const encoded = new EncodedParts(parts)
  const values = encoded.fill(contact)
  const writer = new QuotedPrintableWriter(Buffer.alloc(encoded.bytesMax(values)))
  encoded.write(writer, values)
  return writer.bytes().toString('latin1')
}

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
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.constantFrom('\n', '\r', '\r\n', '.', '=', ' ', '\t', '. ', '<', 'x'.repeat(75), 'é😀'),
    ),
    { maxLength: 5 },
  )
  .map((pieces) => pieces.join(''))
const contexts = fc.constantFrom('text', 'html', 'url_part')
const parts = fc.array(
  fc.oneof(
    texts,
    fc.record({
      value: fc.constantFrom('name', 'attr.a', 'attr.none'),
      fallback: texts,
      context: contexts,
    }),
  ),
  { maxLength: 7 },
) as fc.Arbitrary<Part[]>

test('literals that are encoded once and values are decoded to the filled text', () => {
  fc.assert(
    fc.property(parts, texts, texts, (compiled, name, a) => {
      const contact = { name, attribs: { a } }
      const encoded = encode(compiled, contact)
      expect(encoded).toMatch(/^[\t\r\n\x20-\x7e]*$/)
      for (const line of encoded.split('\r\n')) {
        expect(line.length).toBeLessThanOrEqual(76)
        expect(line).not.toMatch(/^\.|[ \t]$|[\r\n]/)
      }
      const filled = fillParts(compiled, contact)
      expect(decode(encoded)).toBe(filled.toWellFormed().replace(/\r\n|\r|\n/g, '\r\n'))
    }),
    { seed: 20261128, numRuns: 2_000 },
  )
})
