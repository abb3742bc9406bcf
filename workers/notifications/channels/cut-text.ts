/** Texts of other people within the limits of a channel. */
import { storedText } from '#schemas/stored-text.ts'

const ellipsis = '…'

/**
 * At most `charactersMax` UTF-16 code units, which no channel counts more of. The end of a text
 * that is cut is an ellipsis; no surrogate pair is split, and control characters are removed.
 */
export function cutText(text: string, charactersMax: number): string {
  const clean = storedText(text)
  if (clean.length <= charactersMax) return clean
  if (charactersMax < 1) return ''
  return `${storedText(clean, charactersMax - ellipsis.length).trimEnd()}${ellipsis}`
}

/** One line: line breaks and tabs become spaces. */
export function cutLine(text: string, charactersMax: number): string {
  return cutText(text.replace(/\s+/g, ' ').trim(), charactersMax)
}

/**
 * Escapes a text so that the result has at most `charactersMax` code units, and never ends within
 * an escape: the text is cut before it is escaped.
 */
export function cutEscaped(
  text: string,
  charactersMax: number,
  escapeText: (text: string) => string,
): string {
  const whole = escapeText(storedText(text))
  if (whole.length <= charactersMax) return whole
  // The longest part that fits; the length of its escaped form grows with that of the part.
  let [fits, tooLong] = [0, Math.min(text.length, charactersMax) + 1]
  while (fits + 1 < tooLong) {
    const middle = (fits + tooLong) >> 1
    if (escapeText(cutText(text, middle)).length <= charactersMax) fits = middle
    else tooLong = middle
  }
  return escapeText(cutText(text, fits))
}

/** At most `bytesMax` bytes of UTF-8. */
export function cutToBytes(text: string, bytesMax: number): string {
  if (Buffer.byteLength(text) <= bytesMax) return text
  let cut = cutText(text, bytesMax)
  while (bytesMax < Buffer.byteLength(cut)) cut = cutText(cut, Math.floor(cut.length * 0.9))
  return cut
}
