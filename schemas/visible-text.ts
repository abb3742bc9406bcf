/**
 * Text that visitors of a portal write and others read: titles, descriptions, comments, feedback
 * and names. On top of `plainText` it removes the controls that reorder the text around it, bounds
 * combining marks, and requires a character that can be seen.
 */
import { z } from 'zod'
import { cleanPlainText } from './plain-text.ts'

/**
 * Marks, joiners and selectors after one base character. Emoji flags of regions need 7, honest
 * scripts fewer.
 */
export const marksPerBaseMax = 8

/**
 * Embeddings, overrides and isolates (UAX 9): they reach beyond the text that holds them where it
 * is shown as plain text.
 */
const directionControls = /[\u202a-\u202e\u2066-\u2069]/g
const markBursts = new RegExp(
  `([\\p{M}\\p{Default_Ignorable_Code_Point}]{${marksPerBaseMax}})[\\p{M}\\p{Default_Ignorable_Code_Point}]+`,
  'gu',
)
/**
 * What shows nothing by itself: spaces, controls, format characters, fillers, tag characters,
 * selectors, marks without a base.
 */
const invisible = /[\s\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Idempotent: cleaning a text again changes nothing. */
export function cleanVisibleText(text: string): string {
  let cleaned = text
  // Dropping marks may bring together what NFC composes, and composing may make room for more: two
  // rounds settle it.
  for (let round = 0; round < cleaningRoundsMax; round += 1) {
    const before = cleaned
    cleaned = cleanPlainText(before.replace(directionControls, '')).replace(markBursts, '$1').trim()
    if (cleaned === before) break
  }
  return cleaned
}

const cleaningRoundsMax = 4

export function isVisible(text: string): boolean {
  return text.replace(invisible, '') !== ''
}

/**
 * A single line: names and titles. Spaces collapse last: removing a control may join two of them.
 */
export function cleanVisibleLine(text: string): string {
  return cleanVisibleText(text).replace(/\s+/g, ' ')
}

const mustBeVisible = 'must not be blank'

/** Several lines, cleaned, 1 to `charactersMax` characters after cleaning. */
export function visibleText(charactersMax: number) {
  return z.string().transform(cleanVisibleText).pipe(visible(charactersMax))
}

/** One line, cleaned, 1 to `charactersMax` characters after cleaning. */
export function visibleLine(charactersMax: number) {
  return z.string().transform(cleanVisibleLine).pipe(visible(charactersMax))
}

function visible(charactersMax: number) {
  return z
    .string()
    .max(charactersMax, `must have at most ${charactersMax} characters`)
    .refine(isVisible, { error: mustBeVisible })
}

/**
 * A name that is only shown: undefined where nothing of it could be seen. Cut by characters, never
 * within one.
 */
export function shownName(text: string | null | undefined, charactersMax: number) {
  if (text === null || text === undefined) return undefined
  const line = cleanVisibleLine(text)
  const cut = line.length <= charactersMax ? line : cutText(line, charactersMax)
  return isVisible(cut) ? cut : undefined
}

function cutText(text: string, charactersMax: number): string {
  return cleanVisibleLine(text.slice(0, charactersMax).replace(/[\ud800-\udbff]$/, ''))
}

const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u

/**
 * For places without markup (titles of pages, feeds, attributes): other people's text keeps its
 * direction to itself. What has none of another direction is returned as it is.
 */
export function isolated(text: string): string {
  const plain = text.replace(directionControls, '')
  return rightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain
}
