/**
 * Finds secrets in a text by their form. Each character is read once; only at the few signs that a
 * secret must contain (the `=` of an assignment, a digit, the `J` of a JWT) is its neighbourhood
 * searched, up to a fixed bound, so the time is linear in the length of the text.
 */
import { assignedSecret, elementSecret, flagSecret, type KeyReader } from './assigned-secret.ts'
import { cardDigitsMax, cardDigitsMin, isCardNumber } from './card-number.ts'
import { isCredential } from './credential.ts'
import { findVersionFour, findVersionSix } from './find-address.ts'
import { mayHoldSecret } from './may-hold-secret.ts'
import type { Span } from './spans.ts'

export interface FoundSecret extends Span {
  readonly rule: string
}

export interface SecretForms {
  /** Search for every kind of secret except addresses. */
  readonly secrets: boolean
  readonly addresses: boolean
  /**
   * Meaning of names in `password=…`; undefined for source code, which names passwords but holds
   * none.
   */
  readonly meaning: KeyReader | undefined
}

const none: readonly FoundSecret[] = []

/** The sign that a character may be; all others are skipped. */
const plain = 0
const digit = 1
const equals = 2
const colon = 3
const percent = 4
const space = 5
const dash = 6
const underscore = 7
const capitalJ = 8
const capitalK = 9
const capitalI = 10
const angle = 11

const textSigns = signsOf([
  ...Array.from('0123456789', (character) => [character, digit] as const),
  ...([
    ['=', equals],
    [':', colon],
    ['%', percent],
    [' ', space],
    ['-', dash],
  ] as const),
  ...([
    ['_', underscore],
    ['J', capitalJ],
    ['K', capitalK],
    ['I', capitalI],
    ['<', angle],
  ] as const),
])
const codeSigns = textSigns.map((sign) =>
  sign === equals || sign === percent || sign === space || sign === angle ? plain : sign,
)

function signsOf(characters: readonly (readonly [character: string, sign: number])[]): Uint8Array {
  const signs = new Uint8Array(128)
  for (const [character, sign] of characters) signs[character.charCodeAt(0)] = sign
  return signs
}

function mayHold(text: string, { secrets, addresses, meaning }: SecretForms): boolean {
  if (secrets && mayHoldSecret(text, meaning === undefined)) return true
  return addresses && mayHoldAddress.test(text)
}

const mayHoldAddress = /\d\.\d|:[\da-f:]/i

export function findSecrets(text: string, forms: SecretForms): readonly FoundSecret[] {
  if (!mayHold(text, forms)) return none
  const signs = forms.meaning === undefined ? codeSigns : textSigns
  let found: FoundSecret[] | undefined
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    const sign = unit < 128 ? signs[unit]! : plain
    if (sign === plain || !isPromising(text, index, sign)) continue
    const secret = secretAt(text, index, sign, forms)
    if (secret === undefined) continue
    found ??= []
    found.push(secret)
    index = Math.max(index, secret.end - 1)
  }
  return found ?? none
}

/** Checks the adjacent characters, for signs that occur in every text. */
function isPromising(text: string, index: number, sign: number): boolean {
  switch (sign) {
    case digit:
      // Only the first digit of a number counts, and numbers of cards and addresses are followed by
      // a digit or a separator.
      return !isDigit(text.charCodeAt(index - 1)) && text.charCodeAt(index + 1) < 65
    case space: {
      const last = text.charCodeAt(index - 1) | 32
      return last === 114 || last === 99
    }
    case dash:
    case underscore: {
      const last = text.charCodeAt(index - 1)
      return isLowerCase(last) || (last !== 45 && text.charCodeAt(index + 1) === 45)
    }
    case capitalJ:
      return text.charCodeAt(index - 1) === 121
    case capitalK:
    case capitalI:
      return text.charCodeAt(index - 1) === 65
    case angle:
      return isLowerCase(text.charCodeAt(index + 1) | 32)
    default:
      return true
  }
}

function secretAt(
  text: string,
  index: number,
  sign: number,
  forms: SecretForms,
): FoundSecret | undefined {
  if (forms.secrets) {
    const secret = formedSecret(text, index, sign, forms)
    if (secret !== undefined) return secret
  }
  if (!forms.addresses) return undefined
  if (sign === digit) return named('IP address', findVersionFour(text, index))
  if (sign === colon) return named('IP address', findVersionSix(text, index))
  return undefined
}

function formedSecret(
  text: string,
  index: number,
  sign: number,
  { meaning }: SecretForms,
): FoundSecret | undefined {
  switch (sign) {
    case digit:
      return findCard(text, index)
    case equals:
    case colon:
      return named(assigned, assignedSecret(text, index, 1, meaning))
    case percent:
      if (text.startsWith('20', index + 1)) return findCredentials(text, index, 3)
      if (!/^3[DA]/i.test(text.slice(index + 1, index + 3))) return undefined
      return named(assigned, assignedSecret(text, index, 3, meaning))
    case space:
      return findCredentials(text, index, 1)
    case dash:
      if (text.charCodeAt(index + 1) === 45) {
        if (text.charCodeAt(index + 2) === 45) return findPrivateKey(text, index)
        return meaning && named(assigned, flagSecret(text, index, meaning))
      }
      return findKnownToken(text, index, dashedTokens)
    case underscore:
      return findKnownToken(text, index, underscoredTokens)
    case capitalJ:
      return findWebToken(text, index)
    case capitalK:
      return findCloudKey(text, index)
    case capitalI:
      return findMapsKey(text, index)
    case angle:
      return meaning && named(assigned, elementSecret(text, index, meaning))
    default:
      return undefined
  }
}

const assigned = 'secret in a text'

/** Digits in groups between single spaces or dashes, as people write the number of a card. */
function findCard(text: string, index: number): FoundSecret | undefined {
  const before = text.charCodeAt(index - 1)
  if (isWordUnit(before) || before === 46) return undefined
  // The first group of a card number has at least four digits.
  for (let at = index + 1; at < index + 4; at += 1) {
    if (!isDigit(text.charCodeAt(at))) return undefined
  }
  let digits = ''
  let card: FoundSecret | undefined
  for (let at = index; digits.length <= cardDigitsMax; at += 1) {
    const unit = text.charCodeAt(at)
    const isOne = isDigit(unit)
    if (isOne) digits += text[at]
    const end = at + 1
    const next = text.charCodeAt(end)
    // Another number may follow, such as the month of expiry.
    const isGroupEnd = isOne && !isDigit(next)
    if (isGroupEnd && digits.length >= cardDigitsMin && !isWordUnit(next) && isCardNumber(digits)) {
      card = { start: index, end, rule: 'card number' }
    }
    const isGap = unit === 32 || unit === 45
    if (!isOne && !(isGap && isDigit(next))) break
  }
  return card
}

/** `Bearer …` and `Basic …`, starting at the space after the word. */
function findCredentials(text: string, index: number, signLength: number): FoundSecret | undefined {
  const isBearer = isWord(text, index - 6, 'bearer')
  if (!isBearer && !isWord(text, index - 5, 'basic')) return undefined
  let start = index + signLength
  if (text[start] === ' ') start += 1
  if (text[start] === '"' || text[start] === "'") start += 1
  credentials.lastIndex = start
  const value = credentials.exec(text)?.[0]
  if (value === undefined) return undefined
  return isCredential(value, isBearer)
    ? { start, end: start + value.length, rule: 'credentials' }
    : undefined
}

const credentials = /[A-Za-z0-9._~+/=-]{4,4096}/y

function isWord(text: string, start: number, word: string): boolean {
  return (
    start >= 0 &&
    !isWordUnit(text.charCodeAt(start - 1)) &&
    text.slice(start, start + word.length).toLowerCase() === word
  )
}

const privateKeyHead = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
const privateKeyFoot = '-----END'

function findPrivateKey(text: string, index: number): FoundSecret | undefined {
  if (!text.startsWith('-----BEGIN', index)) return undefined
  privateKeyHead.lastIndex = index
  if (!privateKeyHead.test(text)) return undefined
  const foot = text.indexOf(privateKeyFoot, index + 10)
  const footEnd = foot === -1 ? -1 : text.indexOf('-----', foot + privateKeyFoot.length)
  return { start: index, end: footEnd === -1 ? text.length : footEnd + 5, rule: 'private key' }
}

const webToken = /eyJ[\w-]{8,8192}\.[\w-]{4,8192}(?:\.[\w-]{0,8192})?/y

function findWebToken(text: string, index: number): FoundSecret | undefined {
  if (text[index - 2] !== 'e') return undefined
  const before = text.charCodeAt(index - 3)
  if (isWordUnit(before) || before === 45) return undefined
  webToken.lastIndex = index - 2
  const token = webToken.exec(text)?.[0]
  if (token === undefined) return undefined
  return { start: index - 2, end: index - 2 + token.length, rule: 'token' }
}

/** Tokens of providers that use a recognisable prefix. */
const underscoredTokens =
  /(?:gh[opsur]_[A-Za-z0-9]{30,255}|github_pat_\w{30,255}|[sr]k_(?:live|test)_[A-Za-z0-9]{10,255}|npm_[A-Za-z0-9]{30,255}|oat_[\w-]{43})/y
const dashedTokens = /(?:xox[abeprs]-[\w-]{10,255}|glpat-[\w-]{20,255}|sk-[\w-]{20,255})/y
const prefixCharactersMax = 10

function findKnownToken(text: string, index: number, tokens: RegExp): FoundSecret | undefined {
  let start = index
  while (index - start <= prefixCharactersMax && isLowerCase(text.charCodeAt(start - 1))) start -= 1
  if (start === index || isWordUnit(text.charCodeAt(start - 1))) return undefined
  tokens.lastIndex = start
  const token = tokens.exec(text)?.[0]
  return token === undefined ? undefined : { start, end: start + token.length, rule: 'token' }
}

const cloudKey = /AKIA[A-Z0-9]{16}(?!\w)/y

function findCloudKey(text: string, index: number): FoundSecret | undefined {
  if (isWordUnit(text.charCodeAt(index - 2))) return undefined
  cloudKey.lastIndex = index - 1
  return cloudKey.test(text) ? { start: index - 1, end: index + 19, rule: 'token' } : undefined
}

const mapsKey = /AIza[\w-]{35}(?![\w-])/y

/** Of Google's services. */
function findMapsKey(text: string, index: number): FoundSecret | undefined {
  if (isWordUnit(text.charCodeAt(index - 2))) return undefined
  mapsKey.lastIndex = index - 1
  return mapsKey.test(text) ? { start: index - 1, end: index + 38, rule: 'token' } : undefined
}

function named(rule: string, span: Span | undefined): FoundSecret | undefined {
  return span && { ...span, rule }
}

function isWordUnit(unit: number): boolean {
  return isDigit(unit) || (97 <= unit && unit <= 122) || (65 <= unit && unit <= 90) || unit === 95
}

function isDigit(unit: number): boolean {
  return 48 <= unit && unit <= 57
}

function isLowerCase(unit: number): boolean {
  return 97 <= unit && unit <= 122
}
