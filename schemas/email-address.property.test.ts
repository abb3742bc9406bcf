import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseEmailAddress } from './email-address.ts'

const seed = 20_261_121
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.emailAddress(),
  fc
    .tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))
    .map(([local, domain]) => `${local}@${domain}.example`),
  fc.tuple(fc.string(), fc.domain()).map(([local, domain]) => `${local}@${domain}`),
)

test('parsing never throws, and a parsed address is parsed to itself', () => {
  fc.assert(
    fc.property(text, (typed) => {
      const parsed = parseEmailAddress(typed)
      if (parsed.kind === 'invalid') return
      const { email, key, domain } = parsed
      expect(parseEmailAddress(email)).toEqual(parsed)
      expect(parseEmailAddress(key)).toEqual({ kind: 'address', email: key, key, domain })
      expect(key).toBe(email.toLowerCase())
      // Contains no character that could end a header, an SMTP path or the address itself.
      expect(email).toMatch(/^[!-~]{3,254}$/)
      expect(email).not.toMatch(/[\s<>"(),:;[\]\\]/)
      expect(email.split('@')).toHaveLength(2)
    }),
    { seed, numRuns: 3_000 },
  )
})

test('a line break within an address is rejected, and one around it is trimmed', () => {
  fc.assert(
    fc.property(
      fc.emailAddress(),
      fc.constantFrom('\r\n', '\n', '\r', '\0'),
      fc.nat(),
      (typed, control, at) => {
        const place = 1 + (at % (typed.length - 1))
        const parsed = parseEmailAddress(typed.slice(0, place) + control + typed.slice(place))
        expect(parsed.kind).toBe('invalid')
      },
    ),
    { seed, numRuns: 1_000 },
  )
})
