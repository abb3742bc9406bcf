import { expect, test } from 'vitest'
import { plainMarkdown } from './plain-markdown.ts'

// biome-ignore format: one case a line
test.each([
  ['plain',                                  'plain'],
  ['a **bold** [link](https://x.test/) `b`', 'a bold link b'],
  ['one\ntwo\n\nthree',                      'one two three'],
  ['- a\n- **b**',                           '• a • b'],
  ['> quoted\n\nanswer',                     'quoted answer'],
  ['```\nconst a = 1\n\nb\n```',             'const a = 1 b'],
  ['a\n\n---\n\nb',                         'a b'],
  ['<b>a</b>',                               '<b>a</b>'],
  ['',                                       ''],
])('%j', (markdown, text) => {
  expect(plainMarkdown(markdown)).toBe(text)
})
