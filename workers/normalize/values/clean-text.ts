/**
 * Cleans text so that every store accepts it: UTF-8 encoders and ClickHouse refuse lone surrogates,
 * Postgres refuses NUL.
 */

// Node has both methods since version 20; the `lib` of the TypeScript configuration does not
// declare them.
declare global {
  interface String {
    isWellFormed(): boolean
    toWellFormed(): string
  }
}

/** Removes NUL and replaces every lone surrogate by U+FFFD. */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.includes('\0') ? whole.replaceAll('\0', '') : whole
}

/** Cuts text to `charactersMax`; the last character of a cut text is an ellipsis. */
export function cutText<Text extends string>(text: Text, charactersMax: number): Text {
  if (text.length <= charactersMax) return text
  let end = charactersMax - 1
  const last = text.charCodeAt(end - 1)
  // Does not cut between the halves of a surrogate pair.
  if (0xd800 <= last && last <= 0xdbff) end -= 1
  return `${text.slice(0, end)}…` as Text
}
