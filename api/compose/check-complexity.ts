/**
 * Bounds on the markup of an email, checked before a step spends time on it. An email of 1 MiB can
 * hold far more tags than any real one, and every step takes time with each of them.
 */
import { invalidField } from '../http/validation/invalid-field.ts'
import type { ComposingBody, ComposingEmail } from './composing-email.ts'

/** A long email has two thousand. */
const tagsMax = 20_000
/** Characters that have a meaning in Markdown and are rare in prose. */
const markdownMarksMax = 50_000
const markdownMark = /[[\]*_~`<|@:!]/g
/** Each placeholder may become as long as a value is, for every subscriber. */
const placeholdersMax = 1_000

export function checkComplexity({ source: { html, markdown } }: ComposingBody): void {
  if (typeof html === 'string' && tagsMax < countOf(html, /</g)) {
    throw invalidField('html', `must hold at most ${tagsMax} tags`)
  }
  if (typeof markdown !== 'string') return
  if (markdownMarksMax < countOf(markdown, markdownMark)) {
    throw invalidField('markdown', `must hold at most ${markdownMarksMax} marks`)
  }
}

/** Few marks can make many tags: lines of a list, cells of a table. */
export function checkRenderedComplexity({ source, html }: ComposingBody): void {
  if (typeof source.html === 'string') return
  if (tagsMax < countOf(html, /</g)) {
    throw invalidField('markdown', `must make at most ${tagsMax} tags`)
  }
}

export function checkPlaceholderCount({ source, marks }: ComposingEmail): void {
  if (marks.valueCount <= placeholdersMax) return
  const field = typeof source.html === 'string' ? 'html' : 'markdown'
  throw invalidField(field, `must hold at most ${placeholdersMax} placeholders`)
}

function countOf(text: string, pattern: RegExp): number {
  let count = 0
  for (const _found of text.matchAll(pattern)) count += 1
  return count
}
