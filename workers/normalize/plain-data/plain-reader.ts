/**
 * Finds the parts of an event's text that are plain: what `JSON.parse`, scrubbing, normalising and
 * `JSON.stringify` would make of them is the same text. Anything that could become another text
 * (an escape, a number that JavaScript writes in another way, a name twice, a text that may hold a
 * secret) makes a part not plain, and it is read as usual. So a doubt costs time, never a result.
 */
import { isAscii } from 'node:buffer'
import { endOfHarmlessText } from '#platform/scrub/may-hold-secret.ts'
import { isSecretHeader } from '#platform/scrub/scrub-event.ts'
import { isAt } from '#platform/text/is-at.ts'
import { crumbBounds, type DataBounds, fieldCharactersMax } from '../field-limits.ts'
import {
  backslash,
  closeList,
  closeObject,
  colon,
  comma,
  openList,
  openObject,
  quote,
} from '../values/json-bytes.ts'
import { readLevel } from '../values/read-level.ts'
import { readTimestamp } from '../values/read-timestamp.ts'
import { PlainCrumb } from './plain-data.ts'
import { crumbFields, type PlainName, type PlainRules } from './plain-rules.ts'

const dash = 0x2d
const dot = 0x2e
const zero = 0x30
const smallF = 0x66
const smallN = 0x6e
const smallT = 0x74

/** Returned in place of an index. */
const notPlain = -1
const nameCharactersMax = 256
const openNamesMax = 64
/** At least what `boundValue` takes of the limit for a value besides its name and text. */
const charactersPerValue = 12
/** JavaScript writes decimals of so many digits as they are. */
const exactDigits = 15
/** From 13 digits on, a number may be that of a card. */
const integerDigitsMax = 12
const shortCharactersMax = 64
const fieldOf = Object.fromEntries(crumbFields.map((name, index) => [name, index])) as Record<
  (typeof crumbFields)[number],
  number
>

// Typed arrays are costly to make, and no read calls another one.
/** Hashes of the names of the objects that are open. */
const hashes = new Int32Array(openNamesMax)
/** Of the fields of a breadcrumb, with their names; a start of -1 is an absent field. */
const starts = new Int32Array(crumbFields.length)
const ends = new Int32Array(crumbFields.length)

export class PlainReader {
  readonly #bytes: Buffer
  readonly #rules: PlainRules
  /** All bytes as one character each, if all are ASCII; undefined before the first breadcrumb. */
  #text: string | undefined
  #isOfAscii: boolean | undefined
  /** Set by a read that found something plain: the index after it, and the number of its names. */
  end = 0
  keyCount = 0
  #charactersLeft = 0
  #textCharactersMax = 0
  #openNames = 0

  constructor(bytes: Buffer, rules: PlainRules) {
    this.#bytes = bytes
    this.#rules = rules
  }

  /** Whether a plain object starts there that is not empty. Sets `end`. */
  object(start: number, bounds: DataBounds): boolean {
    this.keyCount = 0
    this.#openNames = 0
    this.end = this.#boundedObject(start, bounds)
    return this.end - start > 2
  }

  /** Whether a name starts there under which plain data is not changed. */
  isPlainName(start: number): boolean {
    return this.#name(start) !== undefined
  }

  crumb(start: number): PlainCrumb | undefined {
    const end = this.#readCrumb(start)
    if (end === notPlain) return undefined
    this.#decodeAll()
    this.end = end
    return new PlainCrumb(this.#time(), this.#fieldsAfterTime())
  }

  text(start: number, end: number): string {
    return this.#text === undefined
      ? this.#bytes.toString('utf8', start, end)
      : this.#text.slice(start, end)
  }

  /** Many short texts are cut faster out of one. */
  #decodeAll(): void {
    this.#isOfAscii ??= isAscii(this.#bytes)
    if (this.#isOfAscii) this.#text ??= this.#bytes.toString('latin1')
  }

  #readCrumb(start: number): number {
    this.keyCount = 0
    this.#openNames = 0
    starts.fill(-1)
    const bytes = this.#bytes
    let at = start
    do {
      const nameStart = at + 1
      const name = this.#name(nameStart)
      if (name === undefined || name.crumbField === -1 || starts[name.crumbField] !== -1)
        return notPlain
      const valueStart = this.end
      const isNull = isAt(this.#bytes, valueStart, 'null')
      at = isNull ? valueStart + 4 : this.#crumbField(name, valueStart)
      if (at === notPlain) return notPlain
      // An empty text or object counts as absent, like null.
      if (!isNull && (name.crumbField === fieldOf.timestamp || at - valueStart > 2)) {
        starts[name.crumbField] = nameStart
        ends[name.crumbField] = at
      }
    } while (bytes[at] === comma)
    return bytes[at] === closeObject ? at + 1 : notPlain
  }

  /** @returns the index after the value of a field. */
  #crumbField({ text }: PlainName, start: number): number {
    if (text === 'data') return this.#boundedObject(start, crumbBounds)
    if (text === 'timestamp' && this.#bytes[start] !== quote) return this.#seconds(start)
    if (text === 'message') return this.#quoted(start, fieldCharactersMax.message)
    return this.#quoted(
      start,
      text === 'category' ? fieldCharactersMax.category : shortCharactersMax,
    )
  }

  #time(): number | undefined {
    const start = starts[fieldOf.timestamp]!
    if (start === -1) return undefined
    const text = this.#fieldText(fieldOf.timestamp)
    return readTimestamp(text.startsWith('"') ? text.slice(1, -1) : Number(text))
  }

  #fieldsAfterTime(): string {
    const hasType = starts[fieldOf.type] !== -1
    const hasLevel = starts[fieldOf.level] !== -1
    const type = hasType ? this.#fieldText(fieldOf.type) : '"default"'
    const level = hasLevel ? readLevel(this.#fieldText(fieldOf.level).slice(1, -1)) : undefined
    let text = `"type":${type},"level":"${level ?? 'info'}"`
    for (let field: number = fieldOf.category; field < crumbFields.length; field += 1) {
      const start = starts[field]!
      if (start !== -1) text += `,${this.text(start, ends[field]!)}`
    }
    return text
  }

  /** JSON of a field's value. */
  #fieldText(field: number): string {
    // The name, two quotes and a colon come before it.
    const start = starts[field]! + crumbFields[field]!.length + 3
    return this.text(start, ends[field]!)
  }

  #boundedObject(start: number, bounds: DataBounds): number {
    this.#charactersLeft = bounds.charactersMax
    this.#textCharactersMax = bounds.textCharactersMax
    return this.#bytes[start] === openObject ? this.#object(start, bounds.depthMax) : notPlain
  }

  /** Each of the following returns the index after what starts at `start`, or `notPlain`. */
  #object(start: number, depthLeft: number): number {
    if (depthLeft === 0) return notPlain
    const bytes = this.#bytes
    if (bytes[start + 1] === closeObject) return start + 2
    const openNames = this.#openNames
    let at = start
    do {
      const name = this.#name(at + 1)
      if (name === undefined || !this.#isNew(name, openNames)) return notPlain
      this.#charactersLeft -= name.text.length
      at = this.#value(this.end, depthLeft - 1)
      if (at === notPlain) return notPlain
    } while (bytes[at] === comma)
    this.#openNames = openNames
    return bytes[at] === closeObject ? at + 1 : notPlain
  }

  #list(start: number, depthLeft: number): number {
    if (depthLeft === 0) return notPlain
    const bytes = this.#bytes
    if (bytes[start + 1] === closeList) return start + 2
    let at = start
    let textBefore = -1
    do {
      const item = at + 1
      const isText = bytes[item] === quote
      // Scrubbing reads objects in lists, and texts after names of headers and options, as pairs.
      if (bytes[item] === openObject) return notPlain
      if (isText && textBefore !== -1 && this.#mayName(textBefore, at)) return notPlain
      textBefore = isText ? item : -1
      at = this.#value(item, depthLeft - 1)
      if (at === notPlain) return notPlain
    } while (bytes[at] === comma)
    return bytes[at] === closeList ? at + 1 : notPlain
  }

  /** Whether a text of a list may name the one after it. */
  #mayName(start: number, end: number): boolean {
    return this.#bytes[start + 1] === dash || isSecretHeader(this.text(start + 1, end - 1))
  }

  #value(start: number, depthLeft: number): number {
    this.#charactersLeft -= charactersPerValue
    if (this.#charactersLeft < 0) return notPlain
    switch (this.#bytes[start]) {
      case quote: {
        const end = this.#quoted(start, Math.min(this.#charactersLeft, this.#textCharactersMax))
        if (end !== notPlain) this.#charactersLeft -= end - start
        return end
      }
      case openObject:
        return this.#object(start, depthLeft)
      case openList:
        return this.#list(start, depthLeft)
      case smallT:
        return isAt(this.#bytes, start, 'true') ? start + 4 : notPlain
      case smallF:
        return isAt(this.#bytes, start, 'false') ? start + 5 : notPlain
      case smallN:
        return isAt(this.#bytes, start, 'null') ? start + 4 : notPlain
      default:
        return this.#number(start)
    }
  }

  /** A text without escapes, and without white space at its ends, which normalising removes. */
  #quoted(start: number, charactersMax: number): number {
    const bytes = this.#bytes
    if (bytes[start] !== quote) return notPlain
    const first = start + 1
    const sign = endOfHarmlessText(bytes, first, bytes.length)
    const end = bytes[sign] === quote ? sign : bytes.indexOf(quote, sign)
    if (end === -1 || end - first > charactersMax) return notPlain
    if (end === first) return end + 1
    // The usual text needs no copy.
    if (sign === end && !this.#rules.searchesAll && isInk(bytes[first]!) && isInk(bytes[end - 1]!))
      return end + 1
    const text = this.text(first, end)
    return isPlainText(text) && this.#rules.isHarmless(text) ? end + 1 : notPlain
  }

  /** A number that JavaScript writes as it was sent. */
  #number(start: number): number {
    const bytes = this.#bytes
    const isNegative = bytes[start] === dash
    const first = isNegative ? start + 1 : start
    const point = this.#endOfDigits(first)
    const digits = point - first
    if (digits === 0 || digits > integerDigitsMax) return notPlain
    const startsWithZero = bytes[first] === zero
    if (startsWithZero && (digits > 1 || isNegative)) return notPlain
    if (bytes[point] !== dot) return isEndOfNumber(bytes[point]) ? point : notPlain
    const end = this.#endOfDigits(point + 1)
    const decimals = end - point - 1
    // An exponent is read as usual.
    if (decimals === 0 || bytes[end - 1] === zero || !isEndOfNumber(bytes[end])) return notPlain
    const isExact = digits + decimals <= exactDigits && !(startsWithZero && decimals > 6)
    return isExact || isWrittenSo(this.text(start, end)) ? end : notPlain
  }

  /** Seconds since 1970, which are written in another form anyway. */
  #seconds(start: number): number {
    const bytes = this.#bytes
    const point = this.#endOfDigits(start)
    const digits = point - start
    if (digits === 0 || digits > integerDigitsMax) return notPlain
    if (digits > 1 && bytes[start] === zero) return notPlain
    if (bytes[point] !== dot) return point
    const end = this.#endOfDigits(point + 1)
    return end > point + 1 ? end : notPlain
  }

  #endOfDigits(start: number): number {
    let at = start
    while (isDigit(this.#bytes[at])) at += 1
    return at
  }

  /** The name that starts at a quote. Sets `end` to the index after its colon. */
  #name(start: number): PlainName | undefined {
    const bytes = this.#bytes
    if (bytes[start] !== quote) return undefined
    const last = start + 1 + nameCharactersMax
    let hash = 0
    let at = start + 1
    for (; at < last; at += 1) {
      const byte = bytes[at]!
      if (byte === quote) break
      if (!isInk(byte) || byte === backslash) return undefined
      hash = (Math.imul(hash, 31) + byte) | 0
    }
    if (bytes[at] !== quote || bytes[at + 1] !== colon) return undefined
    const name = this.#rules.nameAt(bytes, start + 1, at, hash)
    this.keyCount += 1
    this.end = at + 2
    return name.isPlain ? name : undefined
  }

  /** Whether no name of the same object has the same hash. */
  #isNew({ hash }: PlainName, openNames: number): boolean {
    for (let index = openNames; index < this.#openNames; index += 1)
      if (hashes[index] === hash) return false
    if (this.#openNames === openNamesMax) return false
    hashes[this.#openNames] = hash
    this.#openNames += 1
    return true
  }
}

/** Backslashes are escapes; JSON does not allow control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above.
const notPlainCharacters = /[\\\u0000-\u001f]/

function isPlainText(text: string): boolean {
  return !notPlainCharacters.test(text) && text.trim() === text
}

/** Printable ASCII but the space. */
function isInk(byte: number): boolean {
  return 0x20 < byte && byte < 0x7f
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && zero <= byte && byte <= 0x39
}

function isEndOfNumber(byte: number | undefined): boolean {
  return byte === comma || byte === closeObject || byte === closeList
}

function isWrittenSo(number: string): boolean {
  return String(Number(number)) === number
}
