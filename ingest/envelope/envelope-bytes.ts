/** Searches in the bytes of an envelope. */
export const LF = 0x0a
const nearBytes = 64

/** Header lines are short: the first bytes are compared here, the rest by the native search. */
export function lineEnd(bytes: Uint8Array, start: number): number {
  const near = Math.min(start + nearBytes, bytes.length)
  for (let at = start; at < near; at += 1) if (bytes[at] === LF) return at
  return near === bytes.length ? near : lineFeedFrom(bytes, near)
}

/** Position of the next line feed, or of the end of the bytes. */
export function lineFeedFrom(bytes: Uint8Array, start: number): number {
  const found = bytes.indexOf(LF, start)
  return found < 0 ? bytes.length : found
}

export function onlyLineFeeds(bytes: Uint8Array, start: number): boolean {
  for (let at = start; at < bytes.length; at += 1) if (bytes[at] !== LF) return false
  return true
}

export function startsWith(bytes: Uint8Array, start: number, word: Uint8Array): boolean {
  for (let at = 0; at < word.length; at += 1) if (bytes[start + at] !== word[at]) return false
  return true
}

export function latin1(bytes: Uint8Array, start: number, end: number): string {
  return view(bytes).toString('latin1', start, end)
}

export function view(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
