/**
 * Scans JSON without building values, and validates it: it accepts the same texts as `JSON.parse`,
 * up to a depth. Each step takes a position and returns the position after the value, or -1 for
 * invalid JSON.
 */

/** Maximum nesting. `JSON.parse` has no such limit, but no exporter nests this deeply. */
export const jsonNestingMax = 512

/**
 * Character classes. 1: ends a run of plain characters in a string (quote, backslash, control
 * characters). 2: white space. 4: digit.
 */
const classes = new Uint8Array(256)
for (let code = 0; code < 0x20; code += 1) classes[code] = 1
for (const code of [0x22, 0x5c]) classes[code]! |= 1
for (const code of [0x20, 0x0a, 0x0d, 0x09]) classes[code]! |= 2
for (let code = 0x30; code <= 0x39; code += 1) classes[code]! |= 4

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** 1 for an object, 0 for a list, one entry per level. */
const isObject = new Uint8Array(jsonNestingMax + 1)

export class JsonWalk {
  readonly bytes: Uint8Array
  readonly end: number
  /** Masks for four bytes at once. */
  readonly view: DataView

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.end = bytes.length
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  skipSpace(from: number): number {
    const { bytes, end } = this
    let at = from
    while (at < end && (classes[bytes[at]!]! & 2) !== 0) at += 1
    return at
  }

  /** @param from position of the opening quote. */
  skipString(from: number): number {
    const { bytes, end, view } = this
    let at = from + 1
    for (;;) {
      while (at + 4 <= end) {
        const specials = specialsOf(view.getInt32(at, true))
        if (specials !== 0) {
          // The lowest set bit belongs to the first special byte; higher bits may be wrong.
          at += (31 - Math.clz32(specials & -specials)) >> 3
          break
        }
        at += 4
      }
      while (at < end && (classes[bytes[at]!]! & 1) === 0) at += 1
      if (at >= end) return -1
      const byte = bytes[at]
      if (byte === quote) return at + 1
      if (byte !== backslash) return -1
      at = skipEscape(bytes, at, end)
      if (at < 0) return -1
    }
  }

  /** @param from position of the value's first character, not white space. */
  skipValue(from: number): number {
    const { bytes, end } = this
    let at = from
    let depth = 0
    for (;;) {
      // At a value.
      if (at >= end) return -1
      const byte = bytes[at]!
      if (byte === quote) at = this.skipString(at)
      else if (byte === openBrace || byte === openBracket) {
        if (depth === jsonNestingMax) return -1
        depth += 1
        isObject[depth] = byte === openBrace ? 1 : 0
        at = this.skipSpace(at + 1)
        const isEmpty = at < end && bytes[at] === (byte === openBrace ? closeBrace : closeBracket)
        if (!isEmpty) {
          if (byte === openBrace) {
            at = this.skipKey(at)
            if (at < 0) return -1
          }
          continue
        }
        at += 1
        depth -= 1
      } else at = this.skipScalar(at)
      if (at < 0) return -1

      // After a value: its container continues or ends, possibly together with outer ones.
      for (;;) {
        if (depth === 0) return at
        at = this.skipSpace(at)
        if (at >= end) return -1
        const next = bytes[at]!
        at += 1
        if (next === comma) {
          at = this.skipSpace(at)
          if (isObject[depth] === 1) {
            at = this.skipKey(at)
            if (at < 0) return -1
          }
          break
        }
        if (next !== (isObject[depth] === 1 ? closeBrace : closeBracket)) return -1
        depth -= 1
      }
    }
  }

  /** From the opening quote of a key to the first character of its value. */
  skipKey(from: number): number {
    if (from >= this.end || this.bytes[from] !== quote) return -1
    const at = this.skipString(from)
    return at < 0 ? -1 : this.skipColon(at)
  }

  /** From the end of a key to the first character of its value. */
  skipColon(from: number): number {
    const at = this.skipSpace(from)
    if (at >= this.end || this.bytes[at] !== colon) return -1
    return this.skipSpace(at + 1)
  }

  /** Skips a number, `true`, `false` or `null`. */
  skipScalar(at: number): number {
    const { bytes, end } = this
    switch (bytes[at]) {
      case 0x74:
        return skipWord(bytes, at, end, trueBytes)
      case 0x66:
        return skipWord(bytes, at, end, falseBytes)
      case 0x6e:
        return skipWord(bytes, at, end, nullBytes)
      default:
        return skipNumber(bytes, at, end)
    }
  }
}

/**
 * Zero when none of four bytes is a quote, a backslash or a control character. Otherwise the top
 * bit of the first such byte is set.
 */
function specialsOf(word: number): number {
  const quotes = word ^ 0x22222222
  const backslashes = word ^ 0x5c5c5c5c
  const zeros = ((quotes - ones) & ~quotes) | ((backslashes - ones) & ~backslashes)
  return (zeros | ((word - 0x20202020) & ~word)) & 0x80808080
}
const ones = 0x01010101

function skipEscape(bytes: Uint8Array, at: number, end: number): number {
  if (end <= at + 1) return -1
  switch (bytes[at + 1]) {
    case 0x22: // "
    case 0x5c: // \
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return at + 2
    case 0x75: // u
      if (end < at + 6) return -1
      for (let next = at + 2; next < at + 6; next += 1) {
        if (!isHexDigit(bytes[next]!)) return -1
      }
      return at + 6
    default:
      return -1
  }
}

function isHexDigit(byte: number): boolean {
  const lower = byte | 0x20
  return (classes[byte]! & 4) !== 0 || (0x61 <= lower && lower <= 0x66)
}

const trueBytes = Buffer.from('true')
const falseBytes = Buffer.from('false')
const nullBytes = Buffer.from('null')

function skipWord(bytes: Uint8Array, at: number, end: number, word: Uint8Array): number {
  if (end - at < word.length) return -1
  for (let index = 1; index < word.length; index += 1) {
    if (bytes[at + index] !== word[index]) return -1
  }
  return at + word.length
}

function skipNumber(bytes: Uint8Array, from: number, end: number): number {
  let at = bytes[from] === 0x2d ? from + 1 : from
  const integerEnd = skipDigits(bytes, at, end)
  if (integerEnd === at) return -1
  // JSON forbids a zero before another digit.
  if (bytes[at] === 0x30 && integerEnd > at + 1) return -1
  at = integerEnd
  if (at < end && bytes[at] === 0x2e) {
    const fractionEnd = skipDigits(bytes, at + 1, end)
    if (fractionEnd === at + 1) return -1
    at = fractionEnd
  }
  if (at < end && (bytes[at]! | 0x20) === 0x65) {
    at += 1
    if (at < end && (bytes[at] === 0x2b || bytes[at] === 0x2d)) at += 1
    const exponentEnd = skipDigits(bytes, at, end)
    if (exponentEnd === at) return -1
    at = exponentEnd
  }
  return at
}

function skipDigits(bytes: Uint8Array, from: number, end: number): number {
  let at = from
  while (at < end && (classes[bytes[at]!]! & 4) !== 0) at += 1
  return at
}
