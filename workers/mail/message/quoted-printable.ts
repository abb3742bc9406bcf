/**
 * Encodes text as quoted-printable (RFC 2045 §6.7) with CR LF line breaks. Lines never begin with a
 * dot and never end with white space, so no relay needs to change a byte that the signature covers.
 */
const lineCharactersMax = 76
const cr = 13
const lf = 10
const equals = 61
const dot = 46
const space = 32
const hexDigits = Buffer.from('0123456789ABCDEF')

/** 1 for a byte that is written unchanged. */
const isPlain = new Uint8Array(256)
for (let byte = 32; byte < 127; byte += 1) isPlain[byte] = byte === equals ? 0 : 1
isPlain[9] = 1

export function encodeQuotedPrintable(text: string): Buffer {
  const writer = new QuotedPrintableWriter(Buffer.allocUnsafe(encodedBytesMax(text)))
  writer.write(text)
  return writer.bytes()
}

/** Bytes that the encoded text has at most, with a soft line break after it. */
export function encodedBytesMax(text: string): number {
  // Up to 3 bytes of UTF-8 for each UTF-16 code unit, 3 characters for each byte, a break after 24.
  return text.length * 10 + 16
}

/** Appends encoded texts to a buffer that is large enough for them. */
export class QuotedPrintableWriter {
  readonly #target: Buffer
  #to = 0
  #column = 0

  constructor(target: Buffer, from = 0) {
    this.#target = target
    this.#to = from
  }

  get length(): number {
    return this.#to
  }

  bytes(): Buffer {
    return this.#target.subarray(0, this.#to)
  }

  /** Characters in the line that is not ended. */
  get column(): number {
    return this.#column
  }

  /** Appends encoded bytes that begin at the beginning of a line, and end at `column`. */
  append(bytes: Uint8Array, column: number): void {
    this.#target.set(bytes, this.#to)
    this.#to += bytes.length
    this.#column = column
  }

  /**
   * Appends a text, which ends here. What follows a text begins a line of its own, so the last
   * character may not be white space.
   */
  write(text: string): void {
    if (!this.#writePlain(text)) this.#writeBytes(Buffer.from(text, 'utf8'), false)
  }

  /** Appends a text that another one may follow in the same line. */
  writeOpen(text: string): void {
    if (!this.#writePlain(text)) this.#writeBytes(Buffer.from(text, 'utf8'), true)
  }

  /** Ends the line without a line break in the decoded text, unless a line begins here. */
  softBreak(): void {
    if (this.#column === 0) return
    const target = this.#target
    target[this.#to] = equals
    target[this.#to + 1] = cr
    target[this.#to + 2] = lf
    this.#to += 3
    this.#column = 0
  }

  /** Most values are short, ASCII, and fit into the line. */
  #writePlain(text: string): boolean {
    const { length } = text
    if (length === 0) return true
    if (this.#column + length > lineCharactersMax - 1) return false
    if (this.#column === 0 && text.charCodeAt(0) === dot) return false
    for (let at = 0; at < length; at += 1) {
      const code = text.charCodeAt(at)
      if (code > 126 || code < 32 || code === equals) return false
    }
    if (text.charCodeAt(length - 1) === space) return false
    this.#target.write(text, this.#to, 'latin1')
    this.#to += length
    this.#column += length
    return true
  }

  /** `isOpen`: the line may go on after the last byte. */
  #writeBytes(source: Buffer, isOpen: boolean): void {
    const target = this.#target
    let to = this.#to
    let column = this.#column
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
      const isLast = next === undefined ? !isOpen : next === lf || next === cr
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
    this.#to = to
    this.#column = column
  }
}

function isUnchanged(source: Buffer, at: number, column: number): boolean {
  const byte = source[at]!
  if (isPlain[byte] === 0) return false
  if (byte === dot) return column > 0
  if (byte !== space && byte !== 9) return true
  const next = source[at + 1]
  return next !== undefined && next !== cr && next !== lf
}
