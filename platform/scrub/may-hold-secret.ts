/**
 * Says in one quick pass whether a text could hold a secret, because every secret that
 * `findSecrets` finds contains one of a few signs. Most texts contain none and are not searched.
 * A loop over a table takes half the time of a regular expression with all signs.
 */

const digit = 1
const equals = 2
const colon = 3
const percent = 4
const space = 5
const dash = 6
const underscore = 7
const capitalB = 8
const capitalJ = 9
const capitalK = 10
const smallX = 11
const capitalI = 12
const angle = 13

const signs = new Uint8Array(128)
for (const character of '0123456789') signs[character.charCodeAt(0)] = digit
for (const [index, character] of Array.from('=:% -_BJKxI<').entries())
  signs[character.charCodeAt(0)] = equals + index

const userInfoCharactersMax = 512

/** @param isCode source code, which names secrets but assigns none. */
export function mayHoldSecret(text: string, isCode: boolean): boolean {
  const { length } = text
  for (let index = 0; index < length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit > 127) continue
    switch (signs[unit]) {
      case 0:
        continue
      case digit: {
        const end = endOfDigits(text, index)
        if (isLongNumber(text, index, end)) return true
        index = end - 1
        continue
      }
      case equals:
        if (!isCode) return true
        continue
      case colon:
        if (!text.startsWith('//', index + 1)) {
          if (!isCode) return true
        } else if (hasUserInfo(text, index + 3)) return true
        continue
      case percent:
        if (!isCode && (text.charCodeAt(index + 1) === 51 || endsScheme(text, index))) return true
        continue
      case space:
        if (!isCode && endsScheme(text, index)) return true
        continue
      case dash:
        if (endsWith(text, index, 'glpat') || endsWith(text, index, 'sk')) return true
        if (!isCode && isFlag(text, index)) return true
        continue
      case underscore:
        if (endsPrefix(text, index)) return true
        continue
      case capitalB:
        if (endsWith(text, index, '-----')) return true
        continue
      case capitalJ:
        if (endsWith(text, index, 'ey')) return true
        continue
      case capitalK:
        if (endsWith(text, index, 'A') && text.startsWith('IA', index + 1)) return true
        continue
      case capitalI:
        if (endsWith(text, index, 'A') && text.startsWith('za', index + 1)) return true
        continue
      case angle:
        if (!isCode && isAlphabetic(text.charCodeAt(index + 1))) return true
        continue
      case smallX:
        if (text.startsWith('ox', index + 1)) return true
    }
  }
  return false
}

function endOfDigits(text: string, start: number): number {
  let end = start + 1
  while (isDigit(text.charCodeAt(end))) end += 1
  return end
}

/** At least eight digits, also as four and four with a space or a dash between them. */
function isLongNumber(text: string, start: number, end: number): boolean {
  if (end - start >= 8) return true
  if (end - start < 4) return false
  const gap = text.charCodeAt(end)
  if (gap !== 32 && gap !== 45) return false
  return isDigit(text.charCodeAt(end + 1)) && endOfDigits(text, end + 1) - end > 4
}

/** `name:password@` after `://`. */
function hasUserInfo(text: string, start: number): boolean {
  const last = Math.min(text.length, start + userInfoCharactersMax + 1)
  for (let index = start; index < last; index += 1) {
    const character = text[index]!
    if (character === '@') return true
    if (/[\s/?#"']/.test(character)) return false
  }
  return false
}

/** `Bearer` and `Basic` in any case. */
function endsScheme(text: string, end: number): boolean {
  const last = text.charCodeAt(end - 1) | 32
  if (last === 114) return isWord(text, end, 'bearer')
  return last === 99 && isWord(text, end, 'basic')
}

function isWord(text: string, end: number, word: string): boolean {
  return text.slice(Math.max(0, end - word.length), end).toLowerCase() === word
}

/** `ghp`, `_pat`, `sk`, `npm` and `oat`, with which tokens of providers begin. */
function endsPrefix(text: string, end: number): boolean {
  switch (text.charCodeAt(end - 1)) {
    case 107: // k
      return endsWith(text, end, 'rk') || endsWith(text, end, 'sk')
    case 109: // m
      return endsWith(text, end, 'npm')
    case 116: // t
      return endsWith(text, end, 'oat') || endsWith(text, end, '_pat')
    default:
      return end >= 3 && endsWith(text, end - 1, 'gh') && 'opsur'.includes(text[end - 1]!)
  }
}

/** `--name`. */
function isFlag(text: string, index: number): boolean {
  return text.charCodeAt(index + 1) === 45 && isAlphabetic(text.charCodeAt(index + 2))
}

function isAlphabetic(unit: number): boolean {
  const lower = unit | 32
  return 97 <= lower && lower <= 122
}

function endsWith(text: string, end: number, part: string): boolean {
  return end >= part.length && text.startsWith(part, end - part.length)
}

function isDigit(unit: number): boolean {
  return 48 <= unit && unit <= 57
}
