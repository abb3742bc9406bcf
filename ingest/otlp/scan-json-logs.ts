/**
 * Finds the records of error severity in the JSON encoding of an `ExportLogsServiceRequest`. It
 * validates the JSON and builds nothing of a record that is dropped. Any valid JSON gives the
 * result of `JSON.parse`: keys with escapes, any order and white space, and the last of equal keys.
 */
import { errorSeverityMin } from '#schemas/wire/otlp-log.ts'
import {
  type FoundLogs,
  type FoundOwner,
  type FoundRecord,
  type MalformedLogs,
  noRanges,
} from './found-logs.ts'
import { JsonWalk } from './json-walk.ts'
import { severityOfText, severityOfValue } from './severity.ts'
import { skipAttributes } from './skip-attributes.ts'

export function scanJsonLogs(bytes: Uint8Array): FoundLogs | MalformedLogs {
  const scan = new JsonScan(bytes)
  const cause = scan.run()
  if (cause !== undefined) return { kind: 'malformed', cause }
  const { droppedCount, records, resource } = scan
  return { kind: 'logs', droppedCount, records, resource }
}

const notJson = 'the body is not valid JSON'
const wanted = {
  resourceLogs: Buffer.from('resourceLogs'),
  resource: Buffer.from('resource'),
  scopeLogs: Buffer.from('scopeLogs'),
  scope: Buffer.from('scope'),
  logRecords: Buffer.from('logRecords'),
  severityNumber: Buffer.from('severityNumber'),
  severityText: Buffer.from('severityText'),
  attributes: Buffer.from('attributes'),
} as const

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const zero = 0x30

class JsonScan {
  readonly #walk: JsonWalk
  readonly #bytes: Uint8Array
  readonly #end: number
  #cause: string | undefined
  droppedCount = 0
  readonly records: FoundRecord[] = []
  resource = noRanges
  /** The current key without its quotes. */
  #keyStart = 0
  #keyEnd = 0

  constructor(bytes: Uint8Array) {
    this.#walk = new JsonWalk(bytes)
    this.#bytes = bytes
    this.#end = bytes.length
  }

  /** The cause of a malformed body. */
  run(): string | undefined {
    const start = this.#walk.skipSpace(0)
    const at = this.#request(start)
    if (at < 0) return this.#cause ?? notJson
    return this.#walk.skipSpace(at) === this.#end ? undefined : notJson
  }

  #request(start: number): number {
    const before = this.#mark()
    return this.#members(start, 'the body', (at) => {
      if (!this.#keyIs(wanted.resourceLogs)) return this.#skip(at)
      this.#rewind(before)
      return this.#elements(at, 'resourceLogs', (element) => this.#resourceLogs(element))
    })
  }

  #resourceLogs(start: number): number {
    const before = this.#mark()
    let resource = noRanges
    const end = this.#members(start, 'each of resourceLogs', (at) => {
      if (this.#keyIs(wanted.resource)) {
        const next = this.#skip(at)
        resource = [[at, next]]
        return next
      }
      if (!this.#keyIs(wanted.scopeLogs)) return this.#skip(at)
      this.#rewind(before)
      return this.#elements(at, 'scopeLogs', (element) => this.#scopeLogs(element))
    })
    if (this.resource.length === 0) this.resource = resource
    // Read last, because the resource may follow the records.
    for (let index = before.recordCount; index < this.records.length; index += 1) {
      this.records[index]!.owner.resource = resource
    }
    return end
  }

  #scopeLogs(start: number): number {
    const before = this.#mark()
    const owner: FoundOwner = { resource: noRanges, scope: noRanges }
    return this.#members(start, 'each of scopeLogs', (at) => {
      if (this.#keyIs(wanted.scope)) {
        const next = this.#skip(at)
        owner.scope = [[at, next]]
        return next
      }
      if (!this.#keyIs(wanted.logRecords)) return this.#skip(at)
      this.#rewind(before)
      return this.#elements(at, 'logRecords', (element) => this.#record(element, owner))
    })
  }

  /** Runs for every record, so it is optimised. */
  #record(start: number, owner: FoundOwner): number {
    let numberAt = -1
    let numberEnd = -1
    let textAt = -1
    let textEnd = -1
    let at = this.#firstMember(start, 'each of logRecords')
    while (at >= 0) {
      const next = this.#keyIs(wanted.attributes) ? skipAttributes(this.#walk, at) : this.#skip(at)
      if (next < 0) return -1
      if (this.#keyIs(wanted.severityNumber)) {
        numberAt = at
        numberEnd = next
      } else if (this.#keyIs(wanted.severityText)) {
        textAt = at
        textEnd = next
      }
      at = this.#nextMember(next)
    }
    if (at === broken) return -1
    const end = behind(at)
    if (this.#isError(numberAt, numberEnd, textAt, textEnd)) {
      this.records.push({ start, end, owner })
    } else this.droppedCount += 1
    return end
  }

  #isError(numberAt: number, numberEnd: number, textAt: number, textEnd: number): boolean {
    const severity = this.#severityNumber(numberAt, numberEnd)
    if (severity > 0) return severity >= errorSeverityMin
    if (textAt < 0 || this.#bytes[textAt] !== quote) return false
    return severityOfText(String(this.#parse(textAt, textEnd))) !== 0
  }

  #severityNumber(start: number, end: number): number {
    if (start < 0) return 0
    const first = this.#bytes[start]! - zero
    // One or two digits, the form that every exporter writes.
    if (end - start === 1 && 0 <= first && first <= 9) return first
    const second = this.#bytes[start + 1]! - zero
    if (end - start === 2 && 0 < first && first <= 9 && 0 <= second && second <= 9) {
      return first * 10 + second
    }
    return severityOfValue(this.#parse(start, end))
  }

  /** @param start `start` to `end` is a complete value that was validated. */
  #parse(start: number, end: number): unknown {
    return JSON.parse(textOf(this.#bytes, start, end))
  }

  /** Calls back at the value of each member. Returns the position after the object, or -1. */
  #members(start: number, name: string, take: (at: number) => number): number {
    let at = this.#firstMember(start, name)
    while (at >= 0) {
      const next = take(at)
      if (next < 0) return -1
      at = this.#nextMember(next)
    }
    return at === broken ? -1 : behind(at)
  }

  /**
   * Calls back at each element. Returns the position after the list, or -1. `null` counts as an
   * empty list.
   */
  #elements(start: number, name: string, take: (at: number) => number): number {
    const bytes = this.#bytes
    if (bytes[start] !== openBracket) {
      const end = this.#skip(start)
      if (end >= 0 && this.#parse(start, end) === null) return end
      return this.#refuse(start, `${name} must be a list`)
    }
    let at = this.#walk.skipSpace(start + 1)
    if (bytes[at] === closeBracket) return at + 1
    for (;;) {
      at = take(at)
      if (at < 0) return -1
      at = this.#walk.skipSpace(at)
      if (bytes[at] === closeBracket) return at + 1
      if (bytes[at] !== comma) return -1
      at = this.#walk.skipSpace(at + 1)
    }
  }

  /** Position of the first member's value, or `ended`, or `broken`. */
  #firstMember(start: number, name: string): number {
    if (this.#bytes[start] !== openBrace) return this.#refuse(start, `${name} must be an object`)
    const at = this.#walk.skipSpace(start + 1)
    return this.#bytes[at] === closeBrace ? ended(at + 1) : this.#member(at)
  }

  /** @param from position after a value. */
  #nextMember(from: number): number {
    const at = this.#walk.skipSpace(from)
    if (this.#bytes[at] === closeBrace) return ended(at + 1)
    if (this.#bytes[at] !== comma) return broken
    return this.#member(this.#walk.skipSpace(at + 1))
  }

  #member(at: number): number {
    if (this.#bytes[at] !== quote) return broken
    const keyEnd = this.#walk.skipString(at)
    if (keyEnd < 0) return broken
    this.#keyStart = at + 1
    this.#keyEnd = keyEnd - 1
    const value = this.#walk.skipColon(keyEnd)
    return value < 0 || value >= this.#end ? broken : value
  }

  #keyIs(name: Uint8Array): boolean {
    const bytes = this.#bytes
    const start = this.#keyStart
    const length = this.#keyEnd - start
    if (length < name.length) return false
    if (length === name.length) {
      let index = 0
      while (index < length && bytes[start + index] === name[index]) index += 1
      return index === length
    }
    // Longer than the name: equal only when it contains escapes.
    if (bytes[start] !== name[0] && bytes[start] !== backslash) return false
    if (!bytes.subarray(start, this.#keyEnd).includes(backslash)) return false
    return this.#parse(start - 1, this.#keyEnd + 1) === Buffer.from(name).toString()
  }

  #skip(at: number): number {
    return this.#walk.skipValue(at)
  }

  #refuse(at: number, cause: string): typeof broken {
    // Invalid JSON is the more useful cause.
    if (at < this.#end && this.#skip(at) >= 0) this.#cause ??= cause
    return broken
  }

  /** The last of equal keys counts, so the result of an earlier one is discarded. */
  #mark(): Mark {
    return { recordCount: this.records.length, droppedCount: this.droppedCount }
  }

  #rewind({ recordCount, droppedCount }: Mark): void {
    this.records.length = recordCount
    this.droppedCount = droppedCount
  }
}

interface Mark {
  readonly recordCount: number
  readonly droppedCount: number
}

/**
 * Positions are not negative and the end of an object is below -1, so one number distinguishes the
 * three cases.
 */
const broken = -1
const ended = (position: number) => -position
const behind = (end: number) => -end

function textOf(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString()
}
