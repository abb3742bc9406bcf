/**
 * Text of other processes for a terminal: control characters, which could move the cursor or set
 * the title, become `?`.
 */
export function printable(text: string, charactersMax = 200): string {
  const cut = text.length <= charactersMax ? text : `${text.slice(0, charactersMax - 1)}…`
  return cut.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '?')
}
