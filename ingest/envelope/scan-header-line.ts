/**
 * Reads one JSON object without building it: finds the positions of the values of the wanted
 * top-level keys. It understands the plain JSON that SDKs write (strings without escapes, ASCII or
 * not) and checks it strictly. It gives up at anything else, and the caller uses `JSON.parse`. A
 * header thus costs one pass over its bytes, and a single parser decides what is valid JSON.
 */
import { startsWith } from './envelope-bytes.ts'

const quote = 0x22
const backslash = 0x5c
const depthMax = 32

/** Position of a key's value; `start === end` when the key is absent. */
export interface ValueRange {
  start: number
  end: number
}

export interface WantedKey {
  readonly name: Uint8Array
  readonly found: ValueRange
}

export function wantedKey(name: string): WantedKey {
  return { name: Buffer.from(name, 'latin1'), found: { start: 0, end: 0 } }
}

/**
 * True when `bytes[start, end)` is one plain JSON object. Sets the range of each wanted key; of
 * repeated keys the last one wins, as in `JSON.parse`.
 */
export function scanHeaderLine(
  bytes: Uint8Array,
  start: number,
  end: number,
  wanted: readonly WantedKey[],
): boolean {
  for (const key of wanted) {
    key.found.start = 0
    key.found.end = 0
  }
  if (start >= end || bytes[start] !== 0x7b) return false
  let at = start + 1
  if (bytes[at] === 0x7d) return at + 1 === end
  while (at < end) {
    const keyEnd = skipString(bytes, at, end)
    if (keyEnd < 0 || bytes[keyEnd] !== 0x3a) return false
    const valueEnd = skipValue(bytes, keyEnd + 1, end, 0)
    if (valueEnd < 0) return false
    for (const key of wanted) {
      if (key.name.length === keyEnd - at - 2 && startsWith(bytes, at + 1, key.name)) {
        key.found.start = keyEnd + 1
        key.found.end = valueEnd
      }
    }
    if (bytes[valueEnd] === 0x7d) return valueEnd + 1 === end
    if (bytes[valueEnd] !== 0x2c) return false
    at = valueEnd + 1
    if (bytes[at] === 0x20) at += 1
  }
  return false
}

/** The position after the closing quote, or -1. */
function skipString(bytes: Uint8Array, start: number, end: number): number {
  if (bytes[start] !== quote) return -1
  for (let at = start + 1; at < end; at += 1) {
    const byte = bytes[at]!
    if (byte === quote) return at + 1
    // Escapes, and bytes beyond ASCII that might not be UTF-8, are left to the parser.
    if (byte === backslash || byte < 0x20 || byte > 0x7e) return -1
  }
  return -1
}

function skipValue(bytes: Uint8Array, start: number, end: number, depth: number): number {
  const at = bytes[start] === 0x20 ? start + 1 : start
  const byte = bytes[at]!
  if (byte === quote) return skipString(bytes, at, end)
  if (byte === 0x7b || byte === 0x5b) return skipContainer(bytes, at, end, depth + 1)
  if (byte === 0x74) return skipWord(bytes, at, end, trueWord)
  if (byte === 0x66) return skipWord(bytes, at, end, falseWord)
  if (byte === 0x6e) return skipWord(bytes, at, end, nullWord)
  return skipInteger(bytes, at, end)
}

function skipContainer(bytes: Uint8Array, start: number, end: number, depth: number): number {
  if (depth > depthMax) return -1
  const isObject = bytes[start] === 0x7b
  const close = isObject ? 0x7d : 0x5d
  let at = start + 1
  if (bytes[at] === close) return at + 1
  while (at < end) {
    if (isObject) {
      at = skipString(bytes, at, end)
      if (at < 0 || bytes[at] !== 0x3a) return -1
      at += 1
    }
    at = skipValue(bytes, at, end, depth)
    if (at < 0 || at >= end) return -1
    if (bytes[at] === close) return at + 1
    if (bytes[at] !== 0x2c) return -1
    at += 1
    if (bytes[at] === 0x20) at += 1
  }
  return -1
}

const trueWord = Buffer.from('true')
const falseWord = Buffer.from('false')
const nullWord = Buffer.from('null')

function skipWord(bytes: Uint8Array, start: number, end: number, word: Uint8Array): number {
  if (start + word.length > end || !startsWith(bytes, start, word)) return -1
  return start + word.length
}

/** Accepts whole numbers and plain decimals. Signs and exponents are left to the parser. */
function skipInteger(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && isDigit(bytes[at]!)) at += 1
  if (at === start) return -1
  if (bytes[start] === 0x30 && at > start + 1) return -1
  if (bytes[at] === 0x2e) {
    const fraction = at + 1
    at = fraction
    while (at < end && isDigit(bytes[at]!)) at += 1
    if (at === fraction) return -1
  }
  return at
}

function isDigit(byte: number): boolean {
  return 0x30 <= byte && byte <= 0x39
}
