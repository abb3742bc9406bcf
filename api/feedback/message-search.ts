/**
 * What `search` becomes: words that must all stand in the message, the last one by its beginning because people search while
 * they type, or the text as it stands anywhere in it, as those expect who know other services.
 */

const wordsMax = 10

export interface MessageSearch {
  /** For to_tsquery; null: there is no word in it. */
  readonly words: string | null
  /** For `ilike`. */
  readonly pattern: string
}

/** Undefined: blank, so nothing is searched for. */
export function messageSearch(text: string | undefined): MessageSearch | undefined {
  const wanted = text?.trim() ?? ''
  if (wanted === '') return undefined
  // Letters, digits and their marks only: nothing of it can be an operator.
  const words = (wanted.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).slice(0, wordsMax)
  const quoted = words.map((word) => `'${word}'`)
  return {
    words: quoted.length === 0 ? null : `${quoted.join(' & ')}:*`,
    pattern: `%${wanted.replace(/[\\%_]/g, '\\$&')}%`,
  }
}
