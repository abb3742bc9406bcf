/** The last step: marks in finished HTML become slots, each with the context of the place it was found in. */
import type { Part } from '#schemas/mail/compiled-email.ts'
import type { SlotContext } from '#schemas/mail/escape-value.ts'
import { attributesOf, type HtmlPiece, piecesOf } from './html/html-pieces.ts'
import type { SlotMarks } from './html/slot-marks.ts'

const urlAttributes: ReadonlySet<string> = new Set(['href', 'src', 'background', 'cite'])

export function compileHtml(html: string, marks: SlotMarks): Part[] {
  const parts: Part[] = []
  let literal = ''
  for (const piece of piecesOf(html)) {
    if (!marks.has(piece.html)) {
      literal += piece.html
      continue
    }
    for (const part of marks.compile(piece.html, (offset) => contextIn(piece, offset, marks))) {
      if (typeof part === 'string') literal += part
      else {
        if (literal !== '') parts.push(literal)
        literal = ''
        parts.push(part)
      }
    }
  }
  if (literal !== '') parts.push(literal)
  return parts
}

function contextIn(piece: HtmlPiece, offset: number, marks: SlotMarks): SlotContext {
  switch (piece.kind) {
    case 'text':
      return 'html'
    case 'style':
      return 'css'
    case 'tag':
      return contextInTag(piece.html, offset, marks)
    case 'comment':
      return contextInComment(piece.html, offset, marks)
  }
}

function contextInTag(tag: string, offset: number, marks: SlotMarks): SlotContext {
  for (const attribute of attributesOf(tag)) {
    const isWithin =
      attribute.offset <= offset && offset < attribute.offset + attribute.value.length
    if (!isWithin) continue
    if (attribute.name === 'style') return 'css'
    if (!urlAttributes.has(attribute.name)) return 'attribute'
    const before = attribute.value.slice(0, offset - attribute.offset)
    return before.trim() === '' && marks.startsWith(attribute.value) ? 'url_start' : 'url_part'
  }
  // Within a name or where no quotes are: nothing but letters and digits may come there.
  return 'css'
}

/** Conditional comments hold markup for Outlook; their inside is read like all other. */
function contextInComment(comment: string, offset: number, marks: SlotMarks): SlotContext {
  const start = '<!--'.length
  for (const piece of piecesOf(comment.slice(start))) {
    const from = start + piece.offset
    if (from <= offset && offset < from + piece.html.length) {
      return contextIn(piece, offset - from, marks)
    }
  }
  return 'html'
}
