/**
 * Text that visitors of a portal write and others read: titles, descriptions, comments, feedback
 * and names. Like `plainText`, and in addition without the controls that reorder surrounding text,
 * with a limited number of combining marks, and with at least one visible character.
 */
import { z } from 'zod'
import { cleanPlainText } from './plain-text.ts'

/**
 * Marks, joiners and selectors after one base character. Flags of regions need 7, and scripts in
 * use fewer.
 */
export const marksPerBaseMax = 8

/** Embeddings, overrides and isolates (UAX 9). In plain text they also affect the text around. */
const directionControls = /[\u202a-\u202e\u2066-\u2069]/g
const markBursts = new RegExp(
  `([\\p{M}\\p{Default_Ignorable_Code_Point}]{${marksPerBaseMax}})[\\p{M}\\p{Default_Ignorable_Code_Point}]+`,
  'gu',
)
/**
 * Characters that are invisible on their own: spaces, controls, format characters, fillers, tag
 * characters, selectors, marks without a base.
 */
const invisible = /[\s\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Removes direction controls and limits marks. Idempotent. */
export function cleanVisibleText(text: string): string {
  let cleaned = text
  // Removing marks may allow NFC to compose characters, and composing may allow more marks; two
  // rounds suffice.
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
 * Cleans a single line, such as a name or title. Spaces are merged last, because removing a control
 * may leave two.
 */
export function cleanVisibleLine(text: string): string {
  return cleanVisibleText(text).replace(/\s+/g, ' ')
}

const mustBeVisible = 'must not be blank'

/** Several lines, with 1 to `charactersMax` characters after cleaning. */
export function visibleText(charactersMax: number) {
  return z.string().transform(cleanVisibleText).pipe(visible(charactersMax))
}

/** One line, with 1 to `charactersMax` characters after cleaning. */
export function visibleLine(charactersMax: number) {
  return z.string().transform(cleanVisibleLine).pipe(visible(charactersMax))
}

function visible(charactersMax: number) {
  return z
    .string()
    .max(charactersMax, `must have at most ${charactersMax} characters`)
    .refine(isVisible, { error: mustBeVisible })
}

/** A name for display, cut between characters. Undefined if it has no visible character. */
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
 * Isolates the direction of other people's text in places without markup (page titles, feeds,
 * attributes). Text with characters of only the default direction is returned unchanged.
 */
export function isolated(text: string): string {
  const plain = text.replace(directionControls, '')
  return rightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain
}
