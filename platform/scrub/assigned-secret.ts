/**
 * Finds secrets that a text assigns to a name: `password=…` of a query or a connection string,
 * `"token": "…"` of JSON within a text, `api_key: '…'` of a printed object, and the password in
 * `scheme://user:password@host`. Prose after a colon ("Invalid token: expected a string") is kept
 * unless it looks like a secret.
 */

import { isCredential } from './credential.ts'
import type { KeyMeaning } from './sensitive-keys.ts'
import { removedText, type Span } from './spans.ts'

const nameCharactersMax = 64
const spacesMax = 2
const valueCharactersMax = 4096
const userInfoCharactersMax = 512

export type KeyReader = (name: string) => KeyMeaning

/**
 * @param index of `=`, `:` or the `%` of `%3D` and `%3A`.
 * @param meaning of names; undefined when only URLs with a password are searched.
 */
export function assignedSecret(
  text: string,
  index: number,
  signLength: number,
  meaning: KeyReader | undefined,
): Span | undefined {
  const sign = text[index]
  const after = text[index + 1]
  const before = text[index - 1]
  if (sign === ':' && after === '/' && text[index + 2] === '/') return urlPassword(text, index + 3)
  if (meaning === undefined) return undefined
  if (after === sign || before === sign) return undefined
  if (sign === '=' && after === '>') return arrowSecret(text, index, meaning)
  if (sign === '=' && (before === '!' || before === '<' || before === '>')) return undefined
  const name = nameBefore(text, index)
  if (name.length < 2) return undefined
  const kind = meaning(name)
  if (kind !== 'secret' && kind !== 'password') return undefined
  return valueAfter(text, index + signLength, { kind, isColon: sign === ':' })
}

/**
 * `'password' => '…'` of PHP and Ruby, and `:password=>"…"`. A name without a sign of its own may
 * be the argument of a function.
 */
function arrowSecret(text: string, index: number, meaning: KeyReader): Span | undefined {
  const name = nameBefore(text, index)
  const kind = name.length < 2 ? undefined : meaning(name)
  if (kind !== 'secret' && kind !== 'password') return undefined
  let end = index
  for (let spaces = 0; spaces < spacesMax && text[end - 1] === ' '; spaces += 1) end -= 1
  const isKey = isQuote(text[end - 1]) || text[end - name.length - 1] === ':'
  const value = isKey ? valueAfter(text, index + 2, { kind, isColon: false }) : undefined
  return value !== undefined && isQuote(text[value.start - 1]) ? value : undefined
}

const flagForm = /--(?!no-)([A-Za-z][\w-]{1,40})[ ]{1,2}(?=[^\s-])/y
/** Words that follow the name of a flag in a sentence. */
const flagWords: ReadonlySet<string> = new Set(['to', 'and', 'or', 'flag', 'option', 'for', 'in'])

/**
 * `--token …` of a command line.
 * @param index of the first dash.
 */
export function flagSecret(text: string, index: number, meaning: KeyReader): Span | undefined {
  flagForm.lastIndex = index
  const [flag = '', name = ''] = flagForm.exec(text) ?? []
  const kind = name === '' ? undefined : meaning(name)
  if (kind !== 'secret' && kind !== 'password') return undefined
  const value = valueAfter(text, index + flag.length, { kind, isColon: false })
  if (value === undefined) return undefined
  if (isQuote(text[value.start - 1])) return value
  const word = text.slice(value.start, value.end)
  return flagWords.has(word.toLowerCase()) || isProse(word, kind) ? undefined : value
}

const elementForm = /<(?:[\w-]{1,40}:)?([A-Za-z][\w.-]{1,63})(?:\s[^<>]{0,256})?>/y

/**
 * `<password>…</password>`.
 * @param index of the first sign.
 */
export function elementSecret(text: string, index: number, meaning: KeyReader): Span | undefined {
  elementForm.lastIndex = index
  const [element = '', name = ''] = elementForm.exec(text) ?? []
  const kind = name === '' ? undefined : meaning(name)
  if (kind !== 'secret' && kind !== 'password') return undefined
  const start = index + element.length
  const end = text.indexOf('<', start)
  if (end === -1 || text[end + 1] !== '/' || end - start > valueCharactersMax) return undefined
  const value = text.slice(start, end)
  const word = value.trim()
  // "between <token> and </token>"
  const isWord = word === '' || (word !== value && isProse(word, kind))
  return isWord || value.startsWith(removedText) ? undefined : { start, end }
}

function nameBefore(text: string, index: number): string {
  let end = index
  for (let spaces = 0; spaces < spacesMax && text[end - 1] === ' '; spaces += 1) end -= 1
  if (text.startsWith('%22', end - 3) || text.startsWith('%5D', end - 3)) end -= 3
  if (text[end - 1] === '"' || text[end - 1] === "'") {
    end -= 1
    while (text[end - 1] === '\\') end -= 1
  }
  if (text[end - 1] === ']') end -= 1
  let start = end
  while (start > 0 && end - start < nameCharactersMax && isNameUnit(text.charCodeAt(start - 1)))
    start -= 1
  // Two digits after a percent sign belong to the escaped character before the name.
  return text.slice(text[start - 1] === '%' ? start + 2 : start, end)
}

function isNameUnit(unit: number): boolean {
  return (
    (97 <= unit && unit <= 122) ||
    (65 <= unit && unit <= 90) ||
    (48 <= unit && unit <= 57) ||
    unit === 95 ||
    unit === 45 ||
    unit === 46
  )
}

interface Assignment {
  readonly kind: KeyMeaning
  readonly isColon: boolean
}

function valueAfter(text: string, index: number, { kind, isColon }: Assignment): Span | undefined {
  let start = index
  for (let spaces = 0; spaces < spacesMax && text[start] === ' '; spaces += 1) start += 1
  const isSpaced = start > index
  let quoteStart = start
  while (text[quoteStart] === '\\') quoteStart += 1
  // Python prints bytes and unicode texts with a prefix before the quote: b'…'.
  if ((text[quoteStart] === 'b' || text[quoteStart] === 'u') && isQuote(text[quoteStart + 1]))
    quoteStart += 1
  const quote = text[quoteStart]
  if (isQuote(quote)) {
    const end = endOfQuoted(text, quoteStart + 1, quote!)
    return end === quoteStart + 1 ? undefined : { start: quoteStart + 1, end }
  }
  if (text.startsWith(removedText, start)) return undefined
  if (quote === '[') {
    const close = text.indexOf(']', start)
    const isNear = close !== -1 && close - start < valueCharactersMax
    return {
      start: start + 1,
      end: isNear ? close : Math.min(text.length, start + valueCharactersMax),
    }
  }
  let end = endOfBare(text, start)
  const scheme = /^(?:bearer|basic|digest|token|negotiate)$/i
  if (text[end] === ' ' && scheme.test(text.slice(start, end))) {
    // Its parameters are on the same line, and `response` is as good as the password.
    if (/^digest$/i.test(text.slice(start, end))) return { start, end: endOfLine(text, end) }
    const isBearer = text.slice(start, end).toLowerCase() === 'bearer'
    const credentials = end + 1
    end = endOfBare(text, credentials)
    if (isBearer && isCredential(text.slice(credentials, end), true)) return { start, end }
  }
  if (end === start) return undefined
  const value = text.slice(start, end)
  if (emptyValues.has(value.toLowerCase())) return undefined
  if (isColon && isSpaced && isProse(value, kind)) return undefined
  return { start, end: isColon ? end : endOfPart(text, index, end) }
}

/** How far a value with spaces may reach in a connection string. */
const partCharactersMax = 128

/**
 * In a connection string (`Server=x;Password=a b;User=u`) a value ends at a semicolon, and another
 * name must follow.
 *
 * @param index of the first character after the sign.
 */
function endOfPart(text: string, index: number, end: number): number {
  if (text[end] !== ' ') return end
  let name = index - 1
  while (index - name < nameCharactersMax && text[name - 1] !== ';' && name > 0) {
    const unit = text.charCodeAt(name - 1)
    if (!isNameUnit(unit) && unit !== 32) return end
    name -= 1
  }
  if (text[name - 1] !== ';') return end
  const part = text.slice(end, end + partCharactersMax)
  return end + (/^[^;"'\n]*(?=;[\w .-]{1,64}=)/.exec(part)?.[0].length ?? 0)
}

const emptyValues: ReadonlySet<string> = new Set([
  'null',
  'undefined',
  'none',
  'nil',
  'true',
  'false',
  '{',
])
// biome-ignore format: a list of words reads better in full lines
const sentenceWords: ReadonlySet<string> = new Set([
  'must', 'is', 'was', 'has', 'cannot', 'can', 'not', 'should', 'required', 'invalid', 'incorrect',
  'wrong', 'expected', 'missing', 'failed', 'too', 'no', 'the', 'a', 'an', 'string', 'str',
  'number', 'object', 'any', 'expired', 'empty', 'mismatch', 'this', 'field', 'value',
  'unexpected',
])

function isProse(value: string, kind: KeyMeaning): boolean {
  const word = value.toLowerCase().replace(/(?<![.!?])[.!?]+$/, '')
  if (kind === 'password') return sentenceWords.has(word)
  return value.length < 16 && !/\d/.test(value)
}

function isQuote(character: string | undefined): boolean {
  return character === '"' || character === "'" || character === '`'
}

function endOfQuoted(text: string, start: number, quote: string): number {
  const last = Math.min(text.length, start + valueCharactersMax)
  for (let index = start; index < last; index += 1) {
    if (text[index] !== quote) continue
    let slashes = 0
    while (text[index - 1 - slashes] === '\\' && index - slashes > start) slashes += 1
    // Within a quoted text, one backslash precedes the quotes of a value and three precede quotes
    // inside it.
    if (slashes <= 1 || text[start - 2] !== '\\') {
      if (slashes === 0) return index
      if (text[start - 2] === '\\') return index - slashes
    }
  }
  return last
}

function endOfLine(text: string, start: number): number {
  const last = Math.min(text.length, start + valueCharactersMax)
  let end = start
  while (end < last && text[end] !== '\n' && text[end] !== '\r' && text[end] !== "'") end += 1
  return end
}

function endOfBare(text: string, start: number): number {
  const last = Math.min(text.length, start + valueCharactersMax)
  let end = start
  while (end < last && !endsValue(text.charCodeAt(end))) end += 1
  return end
}

/** White space and `"'&,;<>)]}|` and the backtick. */
function endsValue(unit: number): boolean {
  if (unit <= 32) return true
  switch (unit) {
    case 34:
    case 38:
    case 39:
    case 41:
    case 44:
    case 59:
    case 60:
    case 62:
    case 93:
    case 96:
    case 124:
    case 125:
      return true
    default:
      return false
  }
}

/** @param start of what follows `//`. */
function urlPassword(text: string, start: number): Span | undefined {
  let colon = -1
  let at = -1
  const last = Math.min(text.length, start + userInfoCharactersMax)
  for (let index = start; index < last; index += 1) {
    const unit = text.charCodeAt(index)
    // A password may hold an unencoded `@`: the last one before the path counts.
    if (unit === 64) at = index
    else if (unit === 58 && colon === -1) colon = index
    else if (unit === 47 || unit === 63 || unit === 35 || unit <= 32 || unit === 34 || unit === 39)
      break
  }
  return colon !== -1 && colon + 1 < at ? { start: colon + 1, end: at } : undefined
}
