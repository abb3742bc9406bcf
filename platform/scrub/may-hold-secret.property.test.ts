import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mayHoldSecret } from './may-hold-secret.ts'

// The same rules as expressions, which say them in one line and take twice the time.
// biome-ignore format: one line says more.
const inAll = ['\\d{4}[ -]?\\d{4}', ':\\/\\/[^ \\t\\n\\v\\f\\r/?#"\']{0,512}@', '-----B', 'eyJ', 'AKIA', 'gh[opsur]_', '_pat_', '[rs]k_', 'npm_', 'oat_', 'xox', 'glpat-', 'sk-', 'AIza']
// biome-ignore format: one line says more.
const inTexts = ['=', ':(?!\\/\\/)', '%3', '[bB][eE][aA][rR][eE][rR][ %]', '[bB][aA][sS][iI][cC][ %]', '--[A-Za-z]', '<[A-Za-z]', ...inAll]
const code = new RegExp(inAll.join('|'))
const prose = new RegExp(inTexts.join('|'))

// biome-ignore format: a list of words reads better in full lines
const parts = [
  '=', ':', '://', '%3', '%20', ' ', '-', '--', '-----B', 'eyJ', 'ey', 'AKIA', 'AK', 'IA', 'ghp_', 'gh', 'o_', '_pat_',
  'rk_', 'sk_', 'sk-', 'npm_', 'oat_', 'xox', 'x', 'glpat-', 'Bearer', 'bEaRer ', 'basic', 'BASIC%', '1', '1234', '12345678',
  '@', '/', '?', 'a', 'é', '\ud800', '\0', '"', '\u00a0', 'r', 'k', '_', 'B', 'J', 'K', 'I', 'AIza', '<', '--a', '<a',
]

test.each([
  [true, code],
  [false, prose],
] as const)('agrees with the expressions; code: %s', (isCode, wanted) => {
  const texts = fc.oneof(
    fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((list) => list.join('')),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(texts, (text) => {
      expect(mayHoldSecret(text, isCode)).toBe(wanted.test(text))
    }),
    { numRuns: 5000 },
  )
})

test('the name of a user has at most 512 characters', () => {
  expect(mayHoldSecret(`x://${'u'.repeat(512)}@`, true)).toBe(true)
  expect(mayHoldSecret(`x://${'u'.repeat(513)}@`, true)).toBe(false)
})
