/**
 * Skips the attributes of a record in the form that exporters write: no white space, the key before
 * the value, text or integers. Two thirds of such a list are constant text, which is compared four
 * bytes at a time. Any other form is skipped by the general scanner (json-walk.ts).
 */
import type { JsonWalk } from './json-walk.ts'

const word = (text: string) => Buffer.from(text).readInt32LE()
const keyWords = [word('{"ke'), word('y":"')] as const
const valueWords = [word(',"va'), word('lue"')] as const
const textWords = [word(':{"s'), word('trin'), word('gVal'), word('ue":')] as const
const integerWords = [word(':{"i'), word('ntVa'), word('lue"')] as const
const keyLength = 8
const valueLength = 8
const textLength = 16
const integerLength = 12
/** Longer than the longest constant, so that no comparison reads beyond the end. */
const wordsBytesMax = 32

const quote = 0x22
const colon = 0x3a
const comma = 0x2c
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** Position after the value at `from`, or -1 for invalid JSON. */
export function skipAttributes(walk: JsonWalk, from: number): number {
  const { bytes } = walk
  let at = bytes[from] === openBracket ? from + 1 : -1
  while (at > 0) {
    at = usualAttribute(walk, at)
    if (at < 0) break
    if (bytes[at] === closeBracket) return at + 1
    at = bytes[at] === comma ? at + 1 : -1
  }
  return walk.skipValue(from)
}

/** Position after the attribute, or -1 when it has another form, which may be valid. */
function usualAttribute(walk: JsonWalk, from: number): number {
  const { bytes, view, end } = walk
  if (end < from + wordsBytesMax) return -1
  if (view.getInt32(from, true) !== keyWords[0]) return -1
  if (view.getInt32(from + 4, true) !== keyWords[1]) return -1
  const value = walk.skipString(from + keyLength - 1)
  if (value < 0 || end < value + wordsBytesMax) return -1
  if (view.getInt32(value, true) !== valueWords[0]) return -1
  if (view.getInt32(value + 4, true) !== valueWords[1]) return -1
  const at = usualValue(walk, value + valueLength)
  if (at < 0 || end < at + 2) return -1
  return bytes[at] === closeBrace && bytes[at + 1] === closeBrace ? at + 2 : -1
}

/** From the colon to the position after the text or integer. */
function usualValue(walk: JsonWalk, at: number): number {
  const { bytes, view } = walk
  const kind = view.getInt32(at, true)
  if (kind === textWords[0]) {
    if (view.getInt32(at + 4, true) !== textWords[1]) return -1
    if (view.getInt32(at + 8, true) !== textWords[2]) return -1
    if (view.getInt32(at + 12, true) !== textWords[3]) return -1
    return bytes[at + textLength] === quote ? walk.skipString(at + textLength) : -1
  }
  if (kind !== integerWords[0]) return -1
  if (view.getInt32(at + 4, true) !== integerWords[1]) return -1
  if (view.getInt32(at + 8, true) !== integerWords[2]) return -1
  if (bytes[at + integerLength] !== colon) return -1
  const number = at + integerLength + 1
  return bytes[number] === quote ? walk.skipString(number) : walk.skipScalar(number)
}
