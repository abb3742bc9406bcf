/** Texts of ideas and comments look the same in the dashboard and on the portal. */
import { load } from 'cheerio'
import type { AnyNode } from 'domhandler'
import { expect, test } from 'vitest'
import { renderMarkdown } from '../../api/portal/page/markdown.ts'
import {
  type Block,
  type Inline,
  parseMarkdown,
} from '../../web/dashboard/design/text/parse-markdown.ts'

// biome-ignore format: one text a line
test.each([
  'plain',
  'a **bold** and *italic* and ~~gone~~ text with `code`',
  'one\ntwo\n\nthree',
  'Please add:\n\n- one\n- two with **bold**\n- three',
  '1. first\n2. second',
  '> quoted\n> twice\n\nanswer',
  '```\nconst a = "<b>"\n```\nafter',
  'above\n\n---\n\nbelow',
  '# no heading\n## here',
  '#tag and # sign',
  'See [the docs](https://docs.example/a?b=c) or https://www.example.com/x.',
  '[mail](mailto:ada@example.com)',
  '[click](javascript:alert(1)) [data](data:text/html,x) [space]( javascript:alert(1))',
  '<script>alert(1)</script> <img src=x onerror=alert(1)>',
  '![pixel](https://evil.example/x.png)',
  'snake_case_name and 2 * 3 * 4',
  '\\*not italic\\*',
  '**open',
  'null \u0000 and \u202e direction',
])('%j', (text) => {
  const portal = load(renderMarkdown(text).markup, null, false).root()[0]!
  const shown = parseMarkdown(text, 'portal').map(shapeOfBlock).join('')
  expect(visible(shown)).toBe(visible(portal.childNodes.map(shapeOfNode).join('')))
})

const tags = { strong: 'strong', emphasis: 'em', deleted: 's', code: 'code', link: 'a' } as const

function shapeOfBlock(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
      return `p(${block.inlines.map(shapeOfInline).join('')})`
    case 'code':
      return `pre(code(${block.text}))`
    case 'quote':
      return `blockquote(${block.blocks.map(shapeOfBlock).join('')})`
    case 'list': {
      const items = block.items.map((inlines) => `li(${inlines.map(shapeOfInline).join('')})`)
      return `${block.isOrdered ? 'ol' : 'ul'}(${items.join('')})`
    }
    case 'rule':
      return 'hr()'
  }
}

function shapeOfInline(inline: Inline): string {
  if (inline.kind === 'text') return inline.text
  if (inline.kind === 'break') return 'br()'
  const content = inline.kind === 'code' ? inline.text : inline.inlines.map(shapeOfInline).join('')
  const address = inline.kind === 'link' ? `<${inline.href}>` : ''
  return `${tags[inline.kind]}${address}(${content})`
}

function shapeOfNode(node: AnyNode): string {
  if (node.type === 'text') return node.data
  if (node.type !== 'tag') return ''
  const address = node.name === 'a' ? `<${node.attribs['href']}>` : ''
  return `${node.name}${address}(${node.childNodes.map(shapeOfNode).join('')})`
}

/** Line ends between elements are not seen, nor what stands for a NUL. */
function visible(shape: string): string {
  return shape.replace(/\n/g, '').replace(/[\0\ufffd]/g, '')
}
