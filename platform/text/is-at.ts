/**
 * Whether an ASCII word stands in the bytes from `start` on. For so few bytes, a loop is faster
 * than a call of `Buffer.compare`.
 */
export function isAt(bytes: Uint8Array, start: number, word: string): boolean {
  for (let at = 0; at < word.length; at += 1)
    if (bytes[start + at] !== word.charCodeAt(at)) return false
  return true
}
