/**
 * A letter of 1 MiB may hold more markup than any letter has, and each step of composing takes its time with all of it. What would
 * keep the process from its other requests for seconds is refused before the first step.
 */
import { invalidField } from '../../http/validation/invalid-field.ts'
import type { EmailSource } from '../compose-email.ts'
import { renderMarkdown } from '../render-markdown.ts'

/** A long letter has two thousand. */
const tagsMax = 20_000
/** Characters that mean something in Markdown and are rare in prose. */
const marksMax = 50_000
const markdownMark = /[[\]*_~`<|@:!]/g

export function checkComplexity({ html, markdown }: EmailSource): void {
  if (typeof html === 'string' && tagsMax < countOf(html, /</g)) {
    throw invalidField('html', `must hold at most ${tagsMax} tags`)
  }
  if (typeof markdown !== 'string') return
  if (marksMax < countOf(markdown, markdownMark)) {
    throw invalidField('markdown', `must hold at most ${marksMax} marks`)
  }
}

/** Few marks can make many tags: lines of a list, cells of a table. */
export function renderWithinBounds(markdown: string): string {
  const html = renderMarkdown(markdown)
  if (tagsMax < countOf(html, /</g)) {
    throw invalidField('markdown', `must make at most ${tagsMax} tags`)
  }
  return html
}

function countOf(text: string, pattern: RegExp): number {
  let count = 0
  for (const _found of text.matchAll(pattern)) count += 1
  return count
}
