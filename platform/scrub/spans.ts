/** A part of a text that is to be removed. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Replaces what was removed; SDKs use the same word. */
export const removedText = '[Filtered]'

/** Replaces the given parts; overlapping and adjacent parts are replaced once. */
export function replaceSpans(text: string, spans: readonly Span[]): string {
  const ordered = spans.length > 1 ? spans.toSorted((a, b) => a.start - b.start) : spans
  let replaced = ''
  let at = 0
  let lastEnd = -1
  for (const { start, end } of ordered) {
    if (end <= at) continue
    if (start < at || start === lastEnd) {
      at = end
      lastEnd = end
      continue
    }
    replaced += text.slice(at, start) + removedText
    at = end
    lastEnd = end
  }
  return replaced + text.slice(at)
}
