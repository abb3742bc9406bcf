/**
 * Serialises the tree into literals and slots. Each slot gets the escaping context of its place:
 * text, an attribute, the beginning or the rest of an address, or a style.
 */
import type { ChildNode } from 'domhandler'
import { QuoteType, Tokenizer } from 'htmlparser2'
import type { Part } from '#schemas/mail/compiled-email.ts'
import type { SlotContext } from '#schemas/mail/escape-value.ts'
import type { SlotMarks } from './slot-marks.ts'
import { type HtmlPlace, type HtmlSyntax, writeHtml } from './write-html.ts'

const urlAttributes: ReadonlySet<string> = new Set(['href', 'src', 'background', 'cite'])

export function compileHtml(
  nodes: readonly ChildNode[],
  marks: SlotMarks,
  syntax: HtmlSyntax,
): Part[] {
  const parts: Part[] = []
  let literal = ''
  writeHtml(nodes, syntax, (piece, place) => {
    if (!marks.has(piece)) {
      literal += piece
      return
    }
    for (const part of compileValue(piece, place, marks)) {
      if (typeof part === 'string') literal += part
      else {
        if (literal !== '') parts.push(literal)
        literal = ''
        parts.push(part)
      }
    }
  })
  if (literal !== '') parts.push(literal)
  return parts
}

/** Literals and slots of one text, attribute value, style sheet or comment. */
export function compileValue(text: string, place: HtmlPlace, marks: SlotMarks): Part[] {
  if (place === 'comment') {
    const contextAt = contextsInComment(text, marks)
    return marks.compile(text, contextAt)
  }
  return marks.compile(text, (offset) => contextIn(text, offset, place, marks))
}

function contextIn(
  text: string,
  offset: number,
  place: Exclude<HtmlPlace, 'comment'>,
  marks: SlotMarks,
): SlotContext {
  if (place === 'text') return 'html'
  // Names and punctuation of markup contain no marks, so the narrowest context is safe for them.
  if (place === 'style' || place === 'markup' || place.attribute === 'style') return 'css'
  if (!urlAttributes.has(place.attribute)) return 'attribute'
  const before = text.slice(0, offset)
  return before.trim() === '' && marks.startsWith(text) ? 'url_start' : 'url_part'
}

interface CommentValue {
  readonly start: number
  readonly end: number
  readonly place: 'text' | { readonly attribute: string }
}

/**
 * The inside of a conditional comment is a string in the tree, because its tags are unbalanced, so
 * its tokens are read here. Outside of texts and of attributes in double quotes, a slot gets the
 * narrowest context: only alphanumeric characters and a few signs may appear there.
 */
function contextsInComment(comment: string, marks: SlotMarks): (offset: number) => SlotContext {
  const values = valuesInComment(comment)
  return (offset) => {
    const value = values.find(({ start, end }) => start <= offset && offset < end)
    if (value === undefined) return 'css'
    const { start, end, place } = value
    return contextIn(comment.slice(start, end), offset - start, place, marks)
  }
}

function valuesInComment(comment: string): CommentValue[] {
  const values: CommentValue[] = []
  const inside = '<!--'.length
  let attribute = ''
  let start: number | undefined
  const ignore = () => {}
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onattribname: (from, end) => {
        attribute = comment.slice(inside + from, inside + end).toLowerCase()
        start = undefined
      },
      onattribdata: (from) => {
        start ??= inside + from
      },
      onattribend: (quote, end) => {
        if (start === undefined || quote !== QuoteType.Double) return
        values.push({ start, end: inside + end, place: { attribute } })
      },
      ontext: (from, end) => {
        values.push({ start: inside + from, end: inside + end, place: 'text' })
      },
      onattribentity: ignore,
      oncdata: ignore,
      onclosetag: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onopentagend: ignore,
      onopentagname: ignore,
      onprocessinginstruction: ignore,
      onselfclosingtag: ignore,
      ontextentity: ignore,
    },
  )
  tokenizer.write(comment.slice(inside))
  tokenizer.end()
  return values
}
