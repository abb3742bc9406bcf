import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  cleanVisibleLine,
  cleanVisibleText,
  isolated,
  isVisible,
  marksPerBaseMax,
  shownName,
  visibleLine,
  visibleText,
} from './visible-text.ts'

// biome-ignore format: the columns are the point
const blank = [
  ['nothing',                 ''],               ['spaces',              ' \t\n\u00a0\u3000\u2003'],
  ['zero-width characters',   '\u200b\u200c\u200d\u2060\ufeff'],
  ['Hangul filler',           '\u3164'],         ['half-width filler',   '\uffa0'],
  ['choseong filler',         '\u115f'],         ['jungseong filler',    '\u1160'],
  ['a blank Braille pattern', '\u2800\u2800'],   ['soft hyphens',        '\u00ad\u00ad'],
  ['tag characters',          '\u{e0041}\u{e007f}'],
  ['variation selectors',     '\ufe0f\ufe0e\u{e0100}'],
  ['direction controls',      '\u202e\u202d\u2066\u2069\u200f\u061c'],
  ['marks without a base',    '\u0301\u0302'],   ['grapheme joiners',    '\u034f'],
  ['control characters',      '\u0000\u0007\u007f'],
  ['Mongolian selectors',     '\u180b\u180e'],   ['musical controls',    '\u{1d173}'],
] as const

describe('a text needs a visible character', () => {
  test.each(blank)('%s is blank', (_name, text) => {
    expect(isVisible(text)).toBe(false)
    expect(visibleText(100).safeParse(`${text} ${text}`).success).toBe(false)
    expect(visibleLine(100).safeParse(text).success).toBe(false)
    expect(shownName(text, 100)).toBeUndefined()
  })

  test.each(['x', '.', '我', '👍🏽', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'می‌خواهم', 'é', 'क्षि', '\ufffd'])(
    '%s is not blank',
    (text) => {
      expect(visibleText(100).parse(text)).toBe(text.normalize('NFC'))
    },
  )
})

describe('cleaning', () => {
  test('overrides, embeddings and isolates are removed', () => {
    expect(cleanVisibleText('a\u202eb\u2067c\u2069d\u202a')).toBe('abcd')
  })

  test('of many combining marks, only the first few are kept, also with joiners between them', () => {
    const burst = `Z${'\u0335\u200d'.repeat(500)}a${'\u0489'.repeat(500)}`
    const cleaned = cleanVisibleText(burst)
    expect(cleaned.length).toBeLessThanOrEqual(2 * (marksPerBaseMax + 1))
  })

  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(
          ...[
            'a',
            'e',
            ' ',
            '\n',
            '\u0301',
            '\u0323',
            '\u0335',
            '\u200d',
            '\u200b',
            '\u202e',
            '\u2066',
          ],
          ...[
            '\u1100',
            '\u1161',
            '\u11a8',
            '\u3164',
            '\ufe0f',
            '\ud800',
            '\udc00',
            '\u0000',
            '\u{e0061}',
          ],
        ),
        { maxLength: 60 },
      )
      .map((parts) => parts.join('')),
  )

  test('cleaning is idempotent and bounded, and leaves no lone surrogate, NUL or direction control', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const cleaned = cleanVisibleText(text)
        expect(cleanVisibleText(cleaned)).toBe(cleaned)
        expect(cleaned.isWellFormed?.() ?? true).toBe(true)
        expect(cleaned).not.toContain('\u0000')
        expect(cleaned).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
        expect(cleaned).not.toMatch(/[\p{M}\p{Default_Ignorable_Code_Point}]{9}/u)
      }),
      { numRuns: 2_000 },
    )
  })

  test('spaces around a removed control character are merged', () => {
    expect(cleanVisibleLine('a \u0000 a')).toBe('a a')
    expect(shownName('a \u0000 a', 4)).toBe('a a')
  })

  test('cleaning a line or a cut name twice changes nothing', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const line = cleanVisibleLine(text)
        expect(cleanVisibleLine(line)).toBe(line)
      }),
      { numRuns: 2_000 },
    )
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 20 }), (text, max) => {
        const name = shownName(text, max)
        if (name === undefined) return
        expect(name.length).toBeLessThanOrEqual(max)
        expect(shownName(name, max)).toBe(name)
      }),
    )
  })
})

test('text of another direction is isolated where there is no markup', () => {
  expect(isolated('Dark mode')).toBe('Dark mode')
  expect(isolated('وضع داكن')).toBe('\u2068وضع داكن\u2069')
  expect(isolated('a\u202eb')).toBe('ab')
})
