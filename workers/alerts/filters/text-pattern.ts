/**
 * Compares texts as a search does: a value without a star must be equal, one with a star matches
 * regardless of case. Each piece between stars is searched from the end of the piece before, so a
 * match takes one pass over the text.
 */
import type { SearchPattern } from '#schemas/search/search-query.ts'
import { foldCase } from './fold-case.ts'

export interface TextMatcher {
  readonly matches: (text: string) => boolean
  /** Characters of work for each character of the text; 0 for a comparison. */
  readonly steps: number
}

export function compilePattern({ pieces }: SearchPattern): TextMatcher {
  const [whole = ''] = pieces
  if (pieces.length === 1) return { matches: (text) => text === whole, steps: 0 }
  const folded = pieces.map(foldCase)
  const first = folded[0] ?? ''
  const last = folded.at(-1) ?? ''
  const inner = folded.slice(1, -1).filter((piece) => piece !== '')
  const matches = (text: string) => {
    const lower = foldCase(text)
    if (!lower.startsWith(first)) return false
    let at = first.length
    for (const piece of inner) {
      const found = lower.indexOf(piece, at)
      if (found === -1) return false
      at = found + piece.length
    }
    return lower.length - last.length >= at && lower.endsWith(last)
  }
  return { matches, steps: 1 + inner.length }
}

/** The value of a filter, in which every star is one. */
export function globPattern(text: string): SearchPattern {
  return { pieces: text.split('*') }
}
