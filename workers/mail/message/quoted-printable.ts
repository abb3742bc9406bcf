/**
 * Encodes text as quoted-printable (RFC 2045 §6.7) with CR LF line breaks. Lines never begin with a
 * dot and never end with white space, so no relay needs to change a byte that the signature covers.
 */
const lineCharactersMax = 76
const cr = 13
const lf = 10
const equals = 61
const dot = 46
const hexDigits = Buffer.from('0123456789ABCDEF')

/** 1 for a byte that is written unchanged. */
const isPlain = new Uint8Array(256)
for (let byte = 32; byte < 127; byte += 1) isPlain[byte] = byte === equals ? 0 : 1
isPlain[9] = 1

export function encodeQuotedPrintable(text: string): Buffer {
  const source = Buffer.from(text, 'utf8')
  const target = Buffer.allocUnsafe(source.length * 3 + Math.ceil(source.length / 24) * 3 + 16)
  let to = 0
  let column = 0
  for (let at = 0; at < source.length; at += 1) {
    const byte = source[at]!
    if (byte === cr || byte === lf) {
      if (byte === cr && source[at + 1] === lf) at += 1
      target[to++] = cr
      target[to++] = lf
      column = 0
      continue
    }
    const width = isUnchanged(source, at, column) ? 1 : 3
    const next = source[at + 1]
    const isLast = next === undefined || next === lf || next === cr
    // A soft line break needs the last column, unless the line ends here anyway.
    if (column + width > (isLast ? lineCharactersMax : lineCharactersMax - 1)) {
      target[to++] = equals
      target[to++] = cr
      target[to++] = lf
      column = 0
      at -= 1
      continue
    }
    if (width === 1) target[to++] = byte
    else {
      target[to++] = equals
      target[to++] = hexDigits[byte >> 4]!
      target[to++] = hexDigits[byte & 15]!
    }
    column += width
  }
  return target.subarray(0, to)
}

function isUnchanged(source: Buffer, at: number, column: number): boolean {
  const byte = source[at]!
  if (isPlain[byte] === 0) return false
  if (byte === dot) return column > 0
  if (byte !== 32 && byte !== 9) return true
  const next = source[at + 1]
  return next !== undefined && next !== cr && next !== lf
}
