/** Characters whose lower case is not what ClickHouse compares them with. */
const special = /[\u017f\u0130\u1e9e\u03c2]/

/**
 * Lower case character by character, so that a part of a text stays a part of it: no character
 * depends on its neighbours, as a final sigma does, and none becomes two, as a capital I with a dot
 * does.
 */
export function foldCase(text: string): string {
  return foldShortAscii(text) ?? foldAny(text)
}

const shortCharactersMax = 64

/** A fast path for names: most are short, and in lower case already. */
function foldShortAscii(text: string): string | undefined {
  if (text.length > shortCharactersMax) return undefined
  let hasUpperCase = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code > 0x7f) return undefined
    if (0x41 <= code && code <= 0x5a) hasUpperCase = true
  }
  return hasUpperCase ? text.toLowerCase() : text
}

function foldAny(text: string): string {
  const lower = text.toLowerCase()
  // Lower case of a text may have a final sigma that the text has not.
  if (!special.test(text) && !special.test(lower)) return lower
  const parts = text.includes('\u0130')
    ? text.split('\u0130').map((part) => part.toLowerCase())
    : [lower]
  return parts.join('\u0130').replaceAll('\u017f', 's').replaceAll('\u03c2', '\u03c3')
}
