import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutEscaped, cutLine, cutText, cutToBytes } from './cut-text.ts'

const text = fc.string({
  unit: fc.constantFrom('a', '&', '😀', 'é', ' ', '\n', '\ud800', '\u0000'),
})
const length = fc.integer({ min: 0, max: 40 })
const escapeAmpersand = (part: string) => part.replaceAll('&', '&amp;')

test('a text is cut to its length without breaking a pair or an escape', () => {
  fc.assert(
    fc.property(text, length, (given, max) => {
      for (const cut of [cutText(given, max), cutLine(given, max)]) {
        expect(cut.length).toBeLessThanOrEqual(max)
        expect(cut.isWellFormed()).toBe(true)
      }
      const escaped = cutEscaped(given, max, escapeAmpersand)
      expect(escaped.length).toBeLessThanOrEqual(max)
      expect(escaped.replaceAll('&amp;', '')).not.toContain('&')
      expect(escaped.isWellFormed()).toBe(true)
      const bytes = cutToBytes(given.toWellFormed(), max)
      expect(Buffer.byteLength(bytes)).toBeLessThanOrEqual(max)
      expect(bytes.isWellFormed()).toBe(true)
    }),
    { seed: 5, numRuns: 500 },
  )
})

test.each([
  ['a text that fits', 'abc', 3, 'abc'],
  ['a text that is too long', 'abcd', 3, 'ab…'],
  ['a pair at the end', 'a😀b', 3, 'a…'],
  ['no room', 'abc', 0, ''],
])('%s', (_what, given, max, cut) => {
  expect(cutText(given, max)).toBe(cut)
})

test('as much of an escaped text is kept as fits', () => {
  expect(cutEscaped('&&&&', 11, escapeAmpersand)).toBe('&amp;&amp;…')
  expect(cutEscaped('a&', 6, escapeAmpersand)).toBe('a&amp;')
})
