import { expect, test } from 'vitest'
import { shortText, visibleText } from './visible-text.ts'

// biome-ignore format: one case a line
test.each([
  ['plain text',              'plain text'],
  ['two\nlines\tand a tab',   'two\nlines\tand a tab'],
  ['nul \u0000 here',         'nul ⟨U+0000⟩ here'],
  ['\u001b[31mred',           '⟨U+001B⟩[31mred'],
  ['exe\u202etxt',            'exe⟨U+202E⟩txt'],
  ['\u2066a\u2069',           '⟨U+2066⟩a⟨U+2069⟩'],
  ['zero\u200bwidth\ufeff',   'zero⟨U+200B⟩width⟨U+FEFF⟩'],
  ['half \ud83d pair',        'half ⟨U+D83D⟩ pair'],
  ['Zażółć \u05d0\u05d1 😀 👩‍💻',        'Zażółć \u05d0\u05d1 😀 👩‍💻'],
  ['<script>alert(1)</script>', '<script>alert(1)</script>'],
])('%j', (text, shown) => {
  expect(visibleText(text)).toBe(shown)
})

test('a long text is cut with a mark', () => {
  expect(shortText('abcdef', 6)).toBe('abcdef')
  expect(shortText('abcdefg', 6)).toBe('abcdef…')
})
