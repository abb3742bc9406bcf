import fc from 'fast-check'
import { expect, test } from 'vitest'
import { composeEmail } from '../compose-email.ts'
import { filterDeclarations } from './filter-css.ts'

// biome-ignore format: one line for each kind.
const token = fc.constantFrom(
  'a', ':', ';', ' ', '*', '-', '--', '\n', '\t', '\f', '/*', '*/', '//', '(', ')', '"', "'", '!', '!important', '@', '#', ',', '.', '%', '=', '+', '~', '>', '<', '&', '[', ']', '\\', '{', '}',
  'color', 'red', 'url(', 'https://a.test', '0', '{{attr.x}}', '{{name}}', '\u0000', '\u00a0', '\u2028', 'é', '😀', 'juice ignore',
)
const css = fc.array(token, { maxLength: 10 }).map((tokens) => tokens.join(''))

test('inlining never fails for the styles of an author, and the email stays complete', () => {
  fc.assert(
    fc.property(css, css, (style, sheet) => {
      const attribute = style.replaceAll('"', '&quot;')
      const html = `<style>p { color: red } ${sheet}</style><p style="${attribute}">x</p>`
      const { email } = composeEmail({ subject: 's', html }, { kind: 'send' })
      expect(email.html.at(-1)).toMatch(/x<\/p>[^<]*<\/div>[\s\S]*<\/body>\n<\/html>\n$/)
    }),
    { seed: 20261122, numRuns: 600 },
  )
})

// biome-ignore format: the columns are the point
test.each([
  ['a word',                      'red',                              undefined],
  ['a placeholder alone',         '{{attr.x}}',                       undefined],
  ['a value without a name',      ': blue',                           undefined],
  ['a name without a value',      'margin:',                          undefined],
  ['a quote that is open',        "font-family: 'A; top: 1px",        undefined],
  ['a bracket that is open',      'width: calc(1px; top: 1px',        undefined],
  ['a quote within quotes',       'font-family: "It\'s"; top: 1px',   'top: 1px'],
  ['a semicolon within quotes',   "font-family: 'A;B';top: 1px",      "font-family: 'A;B'; top: 1px"],
])('complete declarations are kept in a style attribute with %s', (_name, style, want) => {
  expect(filterDeclarations(style)).toBe(want)
})
