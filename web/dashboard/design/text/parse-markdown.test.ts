import { describe, expect, test } from 'vitest'
import { type Block, type Inline, parseMarkdown, safeHref } from './parse-markdown.ts'

const text = (value: string): Inline => ({ kind: 'text', text: value })
const paragraph = (...inlines: Inline[]): Block => ({ kind: 'paragraph', inlines })

// biome-ignore format: one case a line
test.each<[string, Block[]]>([
  ['plain',                    [paragraph(text('plain'))]],
  ['a **b** c',                [paragraph(text('a '), { kind: 'strong', inlines: [text('b')] }, text(' c'))]],
  ['*a* and _b_',              [paragraph({ kind: 'emphasis', inlines: [text('a')] }, text(' and '), { kind: 'emphasis', inlines: [text('b')] })]],
  ['~~a~~',                    [paragraph({ kind: 'deleted', inlines: [text('a')] })]],
  ['a_b_c and 2 * 3 * 4',      [paragraph(text('a_b_c and 2 * 3 * 4'))]],
  ['`a **b**`',                [paragraph({ kind: 'code', text: 'a **b**' })]],
  ['\\*a\\*',                  [paragraph(text('*a*'))]],
  ['**open',                   [paragraph(text('**open'))]],
  ['one\ntwo',                 [paragraph(text('one'), { kind: 'break' }, text('two'))]],
  ['one\n\ntwo',               [paragraph(text('one')), paragraph(text('two'))]],
  ['# title',                  [{ kind: 'heading', inlines: [text('title')] }]],
  ['- a\n- b\n  c',            [{ kind: 'list', isOrdered: false, items: [[text('a')], [text('b'), { kind: 'break' }, text('c')]] }]],
  ['1. a\n2. b',               [{ kind: 'list', isOrdered: true, items: [[text('a')], [text('b')]] }]],
  ['> a\n> b',                 [{ kind: 'quote', blocks: [paragraph(text('a'), { kind: 'break' }, text('b'))] }]],
  ['```js\n<b>\n```\nafter',   [{ kind: 'code', text: '<b>' }, paragraph(text('after'))]],
  ['```\nopen',                [{ kind: 'code', text: 'open' }]],
  ['---',                      [{ kind: 'rule' }]],
  ['<b onclick="x">a</b>',     [paragraph(text('<b onclick="x">a</b>'))]],
  ['[a](https://x.test/y)',    [paragraph({ kind: 'link', href: 'https://x.test/y', inlines: [text('a')] })]],
  ['see https://x.test/y.',    [paragraph(text('see '), { kind: 'link', href: 'https://x.test/y', inlines: [text('https://x.test/y')] }, text('.'))]],
])('%j', (markdown, blocks) => {
  expect(parseMarkdown(markdown)).toEqual(blocks)
})

describe('addresses', () => {
  // biome-ignore format: one case a line
  test.each([
    ['https://x.test/',              'https://x.test/'],
    ['mailto:ada@example.test',      'mailto:ada@example.test'],
    ['/projects/1',                  '/projects/1'],
    ['javascript:alert(1)',          undefined],
    ['JaVaScRiPt:alert(1)',          undefined],
    ['\u0001javascript:alert(1)',    undefined],
    ['java\tscript:alert(1)',        undefined],
    ['data:text/html,<script>',      undefined],
    ['vbscript:x',                   undefined],
    ['blob:https://x.test/1',        undefined],
    ['//evil.test',                  undefined],
    ['/\\evil.test',                 undefined],
    ['nothing',                      undefined],
  ])('%j leads to %j', (address, href) => {
    expect(safeHref(address)).toBe(href)
  })

  test('a link that is not safe stays text', () => {
    const markdown = '[a](javascript:alert(1)) ![b](data:image/svg+xml,x)'
    expect(JSON.stringify(parseMarkdown(markdown))).not.toContain('"link"')
  })
})

test.each(['*', '_', '`', '[', '~~', '> ', '**a ', '- ', '[a](', 'http://', '\\', '#', '*a_b~~c`'])(
  'comments of 10,000 characters of %j are read at once',
  (piece) => {
    const markdown = piece.repeat(10_000 / piece.length)
    const blocks = parseMarkdown(markdown)
    expect(blocks.length).toBeGreaterThan(0)
    expect(JSON.stringify(blocks).length).toBeLessThan(1_000_000)
  },
  2_000,
)
