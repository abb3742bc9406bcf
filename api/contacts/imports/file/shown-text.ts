/**
 * Shortens text of a file for an error message, on one line, without NUL and unpaired surrogates.
 */
export function shownText(text: string, charactersMax = 40): string {
  const short = text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`
  return short.replace(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' ')
}
