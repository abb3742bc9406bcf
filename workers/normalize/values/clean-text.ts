/**
 * Text that every store takes: UTF-8 encoders and ClickHouse refuse lone surrogates, Postgres
 * refuses NUL.
 */

// Node has both since version 20; the library that the compiler is set to does not know them yet.
declare global {
  interface String {
    isWellFormed(): boolean
    toWellFormed(): string
  }
}

/** Without NUL, and with U+FFFD for every lone surrogate. */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.includes('\0') ? whole.replaceAll('\0', '') : whole
}

/** At most `charactersMax`, with an ellipsis as the last character where something was cut. */
export function cutText<Text extends string>(text: Text, charactersMax: number): Text {
  if (text.length <= charactersMax) return text
  let end = charactersMax - 1
  const last = text.charCodeAt(end - 1)
  // Never between the halves of a surrogate pair.
  if (0xd800 <= last && last <= 0xdbff) end -= 1
  return `${text.slice(0, end)}…` as Text
}
