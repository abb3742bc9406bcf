/**
 * Finds a string of an item by its key without parsing the item: the id of an event, the slug of a
 * check-in. Breadcrumbs and contexts have keys of the same names, so the depth is tracked: only
 * keys of the outermost object count, and the first one with a string value wins. The text is
 * returned unparsed, with its escapes and one character for each byte. The bytes may not be valid
 * JSON; the worker decides that.
 */
const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openingBracket = 0x5b
const closingBracket = 0x5d
const openingBrace = 0x7b
const closingBrace = 0x7d

export function scanString(
  name: Uint8Array,
  bytes: Uint8Array,
  start: number,
  end: number,
): string | undefined {
  return scan(name, bytes, start, end, stringBehind)
}

/** The start of the first object behind a key of the outermost object; -1 if there is none. */
export function scanObject(
  name: Uint8Array,
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  return scan(name, bytes, start, end, objectBehind) ?? -1
}

function scan<Value>(
  name: Uint8Array,
  bytes: Uint8Array,
  start: number,
  end: number,
  valueBehind: (bytes: Uint8Array, keyEnd: number, end: number) => Value | undefined,
): Value | undefined {
  let depth = 0
  /** The next string of the outermost object is a key. */
  let isKeyNext = false
  let at = start
  while (at < end) {
    const byte = bytes[at]!
    at += 1
    if (byte === quote) {
      const opening = at
      // Most bytes are in strings, and most strings are too short to justify a native call.
      while (at < end) {
        const inside = bytes[at]!
        if (inside === quote) break
        at += inside === backslash ? 2 : 1
      }
      const closing = at
      at = at < end ? at + 1 : end
      if (!isKeyNext || depth !== 1) continue
      isKeyNext = false
      if (closing - opening !== name.length || !isName(name, bytes, opening)) continue
      const value = valueBehind(bytes, at, end)
      if (value !== undefined) return value
    } else if (byte === comma) isKeyNext = depth === 1
    else if (byte < openingBracket) continue
    else if (byte === openingBrace || byte === openingBracket) {
      depth += 1
      if (depth === 1) {
        if (byte === openingBracket) return undefined
        isKeyNext = true
      }
    } else if (byte === closingBrace || byte === closingBracket) {
      depth -= 1
      if (depth <= 0) return undefined
    }
  }
  return undefined
}

/** The position after the closing quote, or `end` when there is none. */
function stringEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start + 1
  while (at < end) {
    const byte = bytes[at]
    if (byte === quote) return at + 1
    at += byte === backslash ? 2 : 1
  }
  return end
}

function isName(name: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < name.length; at += 1) if (bytes[start + at] !== name[at]) return false
  return true
}

/** The value behind a key, if it is a string that is short enough. */
function stringBehind(bytes: Uint8Array, keyEnd: number, end: number): string | undefined {
  const separator = skipSpace(bytes, keyEnd, end)
  if (bytes[separator] !== colon) return undefined
  const opening = skipSpace(bytes, separator + 1, end)
  if (opening >= end || bytes[opening] !== quote) return undefined
  const closed = stringEnd(bytes, opening, end)
  if (closed - opening > textBytesMax) return undefined
  // Creating a view costs more than the text, so it is created only when needed.
  const view = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return view.toString('latin1', opening + 1, closed - 1)
}

function objectBehind(bytes: Uint8Array, keyEnd: number, end: number): number | undefined {
  const separator = skipSpace(bytes, keyEnd, end)
  if (bytes[separator] !== colon) return undefined
  const opening = skipSpace(bytes, separator + 1, end)
  return opening < end && bytes[opening] === openingBrace ? opening : undefined
}

/** Every form of an id is shorter, and so is the longest significant part of a slug. */
const textBytesMax = 4096

function skipSpace(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && isSpace(bytes[at]!)) at += 1
  return at
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
