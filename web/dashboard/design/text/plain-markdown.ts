/** Markdown as one line of text, for a row of a list. */
import { type Block, type Inline, parseMarkdown } from './parse-markdown.ts'

export function plainMarkdown(text: string): string {
  return parseMarkdown(text, 'portal').map(textOfBlock).filter(Boolean).join(' ')
}

function textOfBlock(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
      return block.inlines.map(textOfInline).join('')
    case 'code':
      return block.text.replace(/\s+/g, ' ').trim()
    case 'quote':
      return block.blocks.map(textOfBlock).join(' ')
    case 'list':
      return block.items.map((item) => `• ${item.map(textOfInline).join('')}`).join(' ')
    case 'rule':
      return ''
  }
}

function textOfInline(inline: Inline): string {
  if (inline.kind === 'break') return ' '
  if (inline.kind === 'text' || inline.kind === 'code') return inline.text
  return inline.inlines.map(textOfInline).join('')
}
