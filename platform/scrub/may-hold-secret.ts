/**
 * Says in one quick pass whether a text could hold a secret, because every secret that
 * `findSecrets` finds contains one of a few signs. Most texts contain none and are not searched.
 * The pass reads bytes, so that it also reads raw JSON; bytes above 127 are parts of other
 * characters and signs of nothing.
 */
import { isAt } from '#platform/text/is-at.ts'

const digit = 1
const equals = 2
const colon = 3
const percent = 4
const dash = 5
const underscore = 6
const initialB = 7
const capitalJ = 8
const capitalK = 9
const smallX = 10
const capitalI = 11
const angle = 12
/** In raw JSON: the text ends, or it is not the text as it was sent. */
const endOfJson = 13

const textSigns = new Uint8Array(256)
for (const character of '0123456789') textSigns[character.charCodeAt(0)] = digit
for (const [index, character] of Array.from('=:%-_BJKxI<').entries())
  textSigns[character.charCodeAt(0)] = equals + index
textSigns['b'.charCodeAt(0)] = initialB
/** The same signs in a table of its own, by which the pass knows that it reads code. */
const codeSigns = textSigns.slice()
const jsonSigns = textSigns.slice()
jsonSigns.fill(endOfJson, 0, 32)
for (const character of '"\\') jsonSigns[character.charCodeAt(0)] = endOfJson

const quote = 0x22
const userInfoCharactersMax = 512
/** What ends the part of a URL that may hold a name and a password. */
const endsAuthority = new Uint8Array(256)
for (const character of ' \t\n\v\f\r/?#"\'') endsAuthority[character.charCodeAt(0)] = 1
/** Bytes at both ends of a text that the pass may look at. */
const margin = 8
const scratch = new Uint8Array(64 * 1024)
/** A byte of no ASCII character, which counts as one. */
const otherUnit = 0xc3

/** @param isCode source code, which names secrets but assigns none. */
export function mayHoldSecret(text: string, isCode: boolean): boolean {
  const { length } = text
  const bytes =
    length + 2 * margin <= scratch.length ? scratch : new Uint8Array(length + 2 * margin)
  const end = margin + length
  for (let index = 0; index < length; index += 1) {
    const unit = text.charCodeAt(index)
    bytes[margin + index] = unit < 128 ? unit : otherUnit
  }
  // As in JSON, a quote follows.
  bytes[end] = quote
  return findSign(bytes, margin, end, isCode ? codeSigns : textSigns) < end
}

/**
 * Reads a text of raw JSON that starts after a quote.
 *
 * @returns the index of its closing quote, if it holds no secret, escape or control character; else
 *   the index of the first byte that needs a closer look, which is no quote; or `end`.
 */
export function endOfHarmlessText(json: Uint8Array, start: number, end: number): number {
  return findSign(json, start, end, jsonSigns)
}

/** Returns the index of the first byte at which a secret may be, or `end`. */
function findSign(bytes: Uint8Array, start: number, end: number, signs: Uint8Array): number {
  const isCode = signs === codeSigns
  for (let index = start; index < end; index += 1) {
    const sign = signs[bytes[index]!]!
    if (sign === 0) continue
    if (sign === digit) {
      const next = endOfDigits(bytes, index)
      if (isLongNumber(bytes, index, next)) return index
      index = next - 1
    } else if (sign === endOfJson || isSecretSign(bytes, index, sign, isCode)) {
      return index
    }
  }
  return end
}

function isSecretSign(bytes: Uint8Array, index: number, sign: number, isCode: boolean): boolean {
  switch (sign) {
    case equals:
      return !isCode
    case colon:
      return isAt(bytes, index + 1, '//') ? hasUserInfo(bytes, index + 3) : !isCode
    case percent:
      return !isCode && bytes[index + 1] === 0x33
    case dash:
      if (endsAt(bytes, index, 'glpat') || endsAt(bytes, index, 'sk')) return true
      return !isCode && bytes[index + 1] === 0x2d && isAlphabetic(bytes[index + 2]!)
    case underscore:
      return endsPrefix(bytes, index)
    case initialB:
      if (!isCode && startsScheme(bytes, index)) return true
      return bytes[index] === 0x42 && endsAt(bytes, index, '-----')
    case capitalJ:
      return endsAt(bytes, index, 'ey')
    case capitalK:
      return isAt(bytes, index - 1, 'AKIA')
    case capitalI:
      return isAt(bytes, index - 1, 'AIza')
    case smallX:
      return isAt(bytes, index, 'xox')
    case angle:
      return !isCode && isAlphabetic(bytes[index + 1]!)
    default:
      return false
  }
}

function endOfDigits(bytes: Uint8Array, start: number): number {
  let end = start + 1
  while (isDigit(bytes[end]!)) end += 1
  return end
}

/** At least eight digits, also as four and four with a space or a dash between them. */
function isLongNumber(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start >= 8) return true
  if (end - start < 4) return false
  const gap = bytes[end]
  if (gap !== 0x20 && gap !== 0x2d) return false
  return isDigit(bytes[end + 1]!) && endOfDigits(bytes, end + 1) - end > 4
}

/** `name:password@` after `://`. */
function hasUserInfo(bytes: Uint8Array, start: number): boolean {
  let charactersLeft = userInfoCharactersMax
  for (let index = start; index < bytes.length && charactersLeft >= 0; index += 1) {
    const byte = bytes[index]!
    if (byte === 0x40) return true
    if (endsAuthority[byte] === 1) return false
    charactersLeft -= unitsOf(byte)
  }
  return false
}

/** UTF-16 code units of the character that starts with the byte; 0 if none does. */
function unitsOf(byte: number): number {
  if (byte < 0x80) return 1
  if (byte < 0xc0) return 0
  return byte < 0xf0 ? 1 : 2
}

/** `Bearer ` and `Basic ` in any case, with the space as it is or percent-encoded. */
function startsScheme(bytes: Uint8Array, start: number): boolean {
  const end = start + (isAtInAnyCase(bytes, start, 'bearer') ? 6 : 5)
  if (end === start + 5 && !isAtInAnyCase(bytes, start, 'basic')) return false
  return bytes[end] === 0x20 || bytes[end] === 0x25
}

/** `gh?`, `_pat`, `rk`, `sk`, `npm` and `oat`, with which tokens of providers begin. */
function endsPrefix(bytes: Uint8Array, end: number): boolean {
  switch (bytes[end - 1]) {
    case 0x6b: // k
      return endsAt(bytes, end, 'rk') || endsAt(bytes, end, 'sk')
    case 0x6d: // m
      return endsAt(bytes, end, 'npm')
    case 0x74: // t
      return endsAt(bytes, end, 'oat') || endsAt(bytes, end, '_pat')
    case 0x6f: // o
    case 0x70: // p
    case 0x72: // r
    case 0x73: // s
    case 0x75: // u
      return endsAt(bytes, end - 1, 'gh')
    default:
      return false
  }
}

function endsAt(bytes: Uint8Array, end: number, word: string): boolean {
  return isAt(bytes, end - word.length, word)
}

/** @param word in small letters. */
function isAtInAnyCase(bytes: Uint8Array, start: number, word: string): boolean {
  for (let at = 0; at < word.length; at += 1)
    if ((bytes[start + at]! | 0x20) !== word.charCodeAt(at)) return false
  return true
}

function isAlphabetic(byte: number): boolean {
  const lower = byte | 0x20
  return 0x61 <= lower && lower <= 0x7a
}

function isDigit(byte: number): boolean {
  return 0x30 <= byte && byte <= 0x39
}
