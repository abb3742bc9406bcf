/** Text of a stranger's file inside a sentence of ours: short, on one line, and storable (no NUL, no half surrogate pair). */
export function shownText(text: string, charactersMax = 40): string {
  const short = text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`
  return short.replace(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' ')
}
