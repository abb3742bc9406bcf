/**
 * Finds secrets in a text by their form. One walk sees each character once; only at the few signs that a secret cannot
 * do without (the `=` of an assignment, a digit, the `J` of a JWT) does it look around, never further than a bound,
 * so that no text costs more than a fixed time for each of its characters.
 */
import { assignedSecret, type KeyReader } from './assigned-secret.ts'
import { cardDigitsMax, cardDigitsMin, isCardNumber } from './card-number.ts'
import { findVersionFour, findVersionSix } from './find-address.ts'
import type { Span } from './spans.ts'

export interface FoundSecret extends Span {
  readonly rule: string
}

export interface SecretForms {
  /** Everything but addresses. */
  readonly secrets: boolean
  readonly addresses: boolean
  /** What names mean in `password=…`; undefined for lines of source code, which name passwords and do not hold them. */
  readonly meaning: KeyReader | undefined
}

type Finder = (text: string, index: number, forms: SecretForms) => FoundSecret | undefined

const none: readonly FoundSecret[] = []
const zero = 48
const nine = 57

export function findSecrets(text: string, forms: SecretForms): readonly FoundSecret[] {
  let found: FoundSecret[] | undefined
  let wasDigit = false
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    const isDigit = zero <= unit && unit <= nine
    const isInRow = isDigit && wasDigit
    wasDigit = isDigit
    if (isInRow || unit > 127 || isSign[unit] === 0) continue
    const secret = finders.get(unit)?.(text, index, forms)
    if (secret === undefined) continue
    found ??= []
    found.push(secret)
    index = Math.max(index, secret.end - 1)
  }
  return found ?? none
}

function findNumber(text: string, index: number, forms: SecretForms): FoundSecret | undefined {
  const card = forms.secrets ? findCard(text, index) : undefined
  if (card !== undefined) return card
  return forms.addresses ? named('IP address', findVersionFour(text, index)) : undefined
}

function findAssigned(text: string, index: number, forms: SecretForms): FoundSecret | undefined {
  const isColon = text[index] === ':'
  if (forms.secrets && forms.meaning !== undefined) {
    const span = assignedSecret(text, index, 1, forms.meaning)
    if (span !== undefined) return { ...span, rule: 'secret in a text' }
  }
  if (isColon && forms.addresses) return named('IP address', findVersionSix(text, index))
  return undefined
}

const findEncodedAssigned: Finder = (text, index, forms) => {
  if (!forms.secrets || forms.meaning === undefined || text[index + 1] !== '3') return undefined
  if (!/^[DdAa]$/.test(text[index + 2] ?? '')) return undefined
  return named('secret in a text', assignedSecret(text, index, 3, forms.meaning))
}

/** Digits in groups between single spaces or dashes, as people write the number of a card. */
function findCard(text: string, index: number): FoundSecret | undefined {
  const before = text.charCodeAt(index - 1)
  if (isWordUnit(before) || before === 46) return undefined
  let digits = ''
  let card: FoundSecret | undefined
  for (let at = index; digits.length <= cardDigitsMax; at += 1) {
    const unit = text.charCodeAt(at)
    const isDigit = zero <= unit && unit <= nine
    if (isDigit) digits += text[at]
    const end = at + 1
    const next = text.charCodeAt(end)
    // What follows may be another number, such as the month in which the card ends.
    const isGroupEnd = isDigit && !(zero <= next && next <= nine)
    if (isGroupEnd && digits.length >= cardDigitsMin && !isWordUnit(next) && isCardNumber(digits)) {
      card = { start: index, end, rule: 'card number' }
    }
    const isGap = unit === 32 || unit === 45
    if (!isDigit && !(isGap && zero <= next && next <= nine)) break
  }
  return card
}

/** `Bearer …` and `Basic …`, from the space behind the word. */
const findCredentials: Finder = (text, index, { secrets }) => {
  const last = text.charCodeAt(index - 1) | 32
  if (!secrets || (last !== 114 && last !== 99)) return undefined
  const isBearer = isWord(text, index - 6, 'bearer')
  if (!isBearer && !isWord(text, index - 5, 'basic')) return undefined
  credentials.lastIndex = index + 1
  const value = credentials.exec(text)?.[0]
  // "Basic authentication" and "bearer token" are words.
  if (value === undefined || !(/\d|=$/.test(value) || value.length >= 24)) return undefined
  return { start: index + 1, end: index + 1 + value.length, rule: 'credentials' }
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

const findDashed: Finder = (text, index, { secrets }) => {
  if (!secrets) return undefined
  if (text[index + 1] !== '-') return findKnownToken(text, index, dashedTokens)
  if (!text.startsWith('-----BEGIN', index)) return undefined
  privateKeyHead.lastIndex = index
  if (!privateKeyHead.test(text)) return undefined
  const foot = text.indexOf(privateKeyFoot, index + 10)
  const footEnd = foot === -1 ? -1 : text.indexOf('-----', foot + privateKeyFoot.length)
  return { start: index, end: footEnd === -1 ? text.length : footEnd + 5, rule: 'private key' }
}

const webToken = /eyJ[\w-]{8,8192}\.[\w-]{4,8192}(?:\.[\w-]{0,8192})?/y

const findWebToken: Finder = (text, index, { secrets }) => {
  if (!secrets || text[index - 1] !== 'y' || text[index - 2] !== 'e') return undefined
  const before = text.charCodeAt(index - 3)
  if (isWordUnit(before) || before === 45) return undefined
  webToken.lastIndex = index - 2
  const token = webToken.exec(text)?.[0]
  if (token === undefined) return undefined
  return { start: index - 2, end: index - 2 + token.length, rule: 'token' }
}

/** Tokens whose makers begin them with a name of their own, so that they can be found. */
const underscoredTokens =
  /(?:gh[opsur]_[A-Za-z0-9]{30,255}|github_pat_\w{30,255}|[sr]k_(?:live|test)_[A-Za-z0-9]{10,255}|npm_[A-Za-z0-9]{30,255}|oat_[\w-]{43})/y
const dashedTokens = /(?:xox[abeprs]-[\w-]{10,255}|glpat-[\w-]{20,255}|sk-[\w-]{20,255})/y
const prefixCharactersMax = 10

function findKnownToken(text: string, index: number, tokens: RegExp): FoundSecret | undefined {
  let start = index
  while (index - start <= prefixCharactersMax && isLowerLetter(text.charCodeAt(start - 1)))
    start -= 1
  if (start === index || isWordUnit(text.charCodeAt(start - 1))) return undefined
  tokens.lastIndex = start
  const token = tokens.exec(text)?.[0]
  return token === undefined ? undefined : { start, end: start + token.length, rule: 'token' }
}

const cloudKey = /AKIA[A-Z0-9]{16}(?!\w)/y

const findCloudKey: Finder = (text, index, { secrets }) => {
  if (!secrets || text[index - 1] !== 'A' || isWordUnit(text.charCodeAt(index - 2)))
    return undefined
  cloudKey.lastIndex = index - 1
  return cloudKey.test(text) ? { start: index - 1, end: index + 19, rule: 'token' } : undefined
}

function named(rule: string, span: Span | undefined): FoundSecret | undefined {
  return span && { ...span, rule }
}

function isWordUnit(unit: number): boolean {
  return (
    (zero <= unit && unit <= nine) ||
    (97 <= unit && unit <= 122) ||
    (65 <= unit && unit <= 90) ||
    unit === 95
  )
}

function isLowerLetter(unit: number): boolean {
  return 97 <= unit && unit <= 122
}

const finders: ReadonlyMap<number, Finder> = new Map<number, Finder>([
  ...Array.from('0123456789', (digit): [number, Finder] => [digit.charCodeAt(0), findNumber]),
  [61, findAssigned],
  [58, findAssigned],
  [37, findEncodedAssigned],
  [32, findCredentials],
  [45, findDashed],
  [74, findWebToken],
  [
    95,
    (text, index, { secrets }) =>
      secrets ? findKnownToken(text, index, underscoredTokens) : undefined,
  ],
  [75, findCloudKey],
])
const isSign = Uint8Array.from({ length: 128 }, (_, unit) => (finders.has(unit) ? 1 : 0))
