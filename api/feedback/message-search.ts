/**
 * Turns `search` into conditions: messages that contain all the words; the last word may be a
 *   prefix because people search while they type, and messages that contain the text.
 */

const wordsMax = 10

export interface MessageSearch {
  /** For to_tsquery. Null: the text has no words. */
  readonly words: string | null
  /** For `ilike`, escaped. */
  readonly pattern: string
}

/** Undefined: the text is blank. */
export function messageSearch(text: string | undefined): MessageSearch | undefined {
  const wanted = text?.trim() ?? ''
  if (wanted === '') return undefined
  // Only letters, digits and their marks, so that nothing is read as an operator of to_tsquery.
  const words = (wanted.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).slice(0, wordsMax)
  const quoted = words.map((word) => `'${word}'`)
  return {
    words: quoted.length === 0 ? null : `${quoted.join(' & ')}:*`,
    pattern: `%${wanted.replace(/[\\%_]/g, '\\$&')}%`,
  }
}
