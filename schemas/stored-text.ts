/**
 * Text that every store accepts: well-formed UTF-16 without NUL and control characters other than
 * tab and line feed. Postgres rejects NUL (SQLSTATE 22021) and `\u0000` in jsonb (22P05), UTF-8 has
 * no lone surrogates, and other control characters can manipulate a terminal. The brand makes this
 * part of the type: fields of rows and sums are `StoredText`, so that they cannot be set without
 * cleaning.
 */
declare const isStored: unique symbol
export type StoredText = string & { readonly [isStored]: true }

/** Includes surrogates, most of which are parts of a pair and need a closer look. */
const suspicious =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is removed.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ud800-\udfff]/
const removed =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is removed.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
const shortCharactersMax = 64
const lineEnds = /\r\n?/g

/**
 * Cleans the text, then cuts it to `charactersMax` UTF-16 code units (default: no limit), but never
 * within a surrogate pair.
 */
export function storedText(text: string, charactersMax = Number.MAX_SAFE_INTEGER): StoredText {
  const clean = isShortAscii(text) || !suspicious.test(text) ? text : cleaned(text)
  if (clean.length <= charactersMax) return clean as StoredText
  const last = clean.charCodeAt(charactersMax - 1)
  const end = 0xd800 <= last && last <= 0xdbff ? charactersMax - 1 : charactersMax
  return clean.slice(0, end) as StoredText
}

/** The text, or its first `charactersMax` code units, stored text, and an ellipsis. */
export function shortened(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : `${storedText(text, charactersMax)}…`
}

/** A fast path for short names: a loop takes a third of the time of a regular expression. */
function isShortAscii(text: string): boolean {
  if (text.length > shortCharactersMax) return false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || 0x7e < code) return false
  }
  return true
}

function cleaned(text: string): string {
  return text.toWellFormed().replace(lineEnds, '\n').replace(removed, '')
}

/** Escapes of `JSON.stringify` that jsonb rejects: NUL and lone surrogates. */
const refusedEscape = /\\u(?:0000|d[89a-f])/

/** JSON text for a `jsonb` column. */
export function storedJson(value: unknown): StoredText {
  const text = JSON.stringify(value)
  if (!refusedEscape.test(text)) return text as StoredText
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'string' ? storedText(inner) : inner,
  ) as StoredText
}
