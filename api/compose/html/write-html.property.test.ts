import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseHtml } from './html-tree.ts'
import { sanitiseHtml } from './sanitise-html.ts'
import { archiveSyntax, countMarkup, emailSyntax, serialiseHtml } from './write-html.ts'

// biome-ignore format: one line for each kind.
const token = fc.constantFrom(
  '<', '>', '"', "'", '/', '&', '&lt;', '&quot;', 'a', ' ', '=', '\n', '<p ', '<p>', '</p>', '<a href="https://a.test?x&y">', '</a>', '<img alt="">', '<br/>',
  '<table>', '<tr>', '<td>', '</td>', '</table>', '<li>', '<div title="a > b">', '</div>', '<!--', '-->', '<!--[if mso]><td><![endif]-->', '<style>p{a:b}</style>', '<foo>', '</foo>',
)
const documents = fc.array(token, { maxLength: 40 }).map((tokens) => tokens.join(''))

test.each([
  ['email', 'mail', emailSyntax],
  ['archive', 'archive', archiveSyntax],
] as const)(
  'a tree that is written for the %s is read back as the same',
  (_name, target, syntax) => {
    fc.assert(
      fc.property(documents, (html) => {
        const { children } = sanitiseHtml(html, target).tree
        const written = serialiseHtml(children, syntax)
        expect(serialiseHtml(parseHtml(written).children, syntax)).toBe(written)
        expect(countMarkup(children)).toBe(written.split('<').length - 1)
      }),
      { seed: 20261122, numRuns: 1_000 },
    )
  },
)
