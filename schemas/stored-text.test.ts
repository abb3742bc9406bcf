import fc from 'fast-check'
import { expect, test } from 'vitest'
import { storedJson, storedText } from './stored-text.ts'

// biome-ignore format: the columns are the point
test.each([
  ['plain text is unchanged            ', 'shop@1.0.0',        'shop@1.0.0'],
  ['NUL is removed                    ', 'shop@1\0.0',        'shop@1.0'],
  ['an escape sequence loses its escape', '\x1b[31mred',       '[31mred'],
  ['C1 controls and DEL are removed   ', 'a\x7f\x80\x9fb',    'ab'],
  ['line ends are normalised         ', 'a\r\nb\rc\nd\te',   'a\nb\nc\nd\te'],
  ['a lone high surrogate is replaced  ', 'a\ud83d',           'a\ufffd'],
  ['a lone low surrogate is replaced   ', '\ude00a',           '\ufffda'],
  ['a surrogate pair is kept          ', '\u{1f600}',         '\u{1f600}'],
] as const)('%s', (_name, sent, want) => {
  expect(storedText(sent)).toBe(want)
})

const hostile = fc.string({
  unit: fc.constantFrom(
    'a',
    '\0',
    '\x1b',
    '\r',
    '\n',
    '\ud83d',
    '\ude00',
    '\u{1f600}',
    '\x85',
    'é',
  ),
})

test('cleaned text is well-formed, free of control characters and within its limit, and cleaning is idempotent', () => {
  fc.assert(
    fc.property(hostile, fc.nat({ max: 12 }), (sent, max) => {
      const text = storedText(sent, max)
      expect(text.isWellFormed()).toBe(true)
      expect(text).not.toMatch(/[^\P{Cc}\n\t]/u)
      expect(text.length).toBeLessThanOrEqual(max)
      expect(storedText(text)).toBe(text)
    }),
    { seed: 15 },
  )
})

test('JSON contains no escape that jsonb rejects, and keeps backslashes that only look like one', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.array(hostile)), (value) => {
      expect(storedJson({ value, path: 'C:\\u0000' })).not.toMatch(
        /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/,
      )
      expect(JSON.parse(storedJson({ path: 'C:\\u0000' }))).toEqual({ path: 'C:\\u0000' })
    }),
    { seed: 15 },
  )
})
