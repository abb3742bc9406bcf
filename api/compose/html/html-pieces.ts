/**
 * Reads HTML that a serialiser wrote: quotes around every attribute, no bare `<`. That is all that stands between the steps of
 * composing, so this needs no parser, and what it puts together again is what it took apart.
 */

import { MarkupScanner } from './markup-scanner.ts'

export interface HtmlPiece {
  readonly kind: 'text' | 'tag' | 'style' | 'comment'
  readonly html: string
  readonly offset: number
}

const attributePattern = /(?<![^\s"'=<>/])([^\s"'=<>/]+)="([^"]*)"/g

export function* piecesOf(html: string): Generator<HtmlPiece> {
  const scanner = new MarkupScanner(html)
  let from = 0
  let start = html.indexOf('<')
  while (start >= 0) {
    const found = scanner.markupAt(start)
    if (found === undefined) {
      start = html.indexOf('<', start + 1)
      continue
    }
    if (from < start) yield { kind: 'text', html: html.slice(from, start), offset: from }
    yield { kind: found.kind, html: html.slice(start, found.end), offset: start }
    from = found.end
    start = html.indexOf('<', from)
  }
  if (from < html.length) yield { kind: 'text', html: html.slice(from), offset: from }
}

export function mapTags(html: string, change: (tag: string) => string): string {
  let changed = ''
  for (const piece of piecesOf(html)) {
    changed += piece.kind === 'tag' ? change(piece.html) : piece.html
  }
  return changed
}

export interface HtmlAttribute {
  readonly name: string
  /** As written, with its entities. */
  readonly value: string
  /** Of the value, within the tag. */
  readonly offset: number
}

export function attributesOf(tag: string): HtmlAttribute[] {
  return [...tag.matchAll(attributePattern)].map((match) => ({
    name: match[1]!.toLowerCase(),
    value: match[2]!,
    offset: match.index + match[1]!.length + 2,
  }))
}

export function withAttributeValue(tag: string, attribute: HtmlAttribute, value: string): string {
  const { offset } = attribute
  return tag.slice(0, offset) + value + tag.slice(offset + attribute.value.length)
}

const characters: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: '\u00a0',
  '#39': "'",
  '#x27': "'",
  apos: "'",
}

/** Of the few entities that serialisers and editors write. */
export function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|nbsp|apos|#39|#x27);/g, (_, name: string) => {
    return characters[name]!
  })
}
