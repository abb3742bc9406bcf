/**
 * Parses the framing of the Sentry envelope protocol, from bytes to items, in one pass. Payloads
 * are not read. The framing of the whole envelope is checked before any item is accepted: accepting
 * half an envelope and answering with an error would make clients that retry deliver that half
 * twice.
 */
import { type EventId, normalizeEventId } from '#schemas/ids.ts'
import { headerLineBytesMax, itemsPerEnvelopeMax } from '#schemas/limits.ts'
import {
  LF,
  latin1,
  lineEnd,
  lineFeedFrom,
  onlyLineFeeds,
  startsWith,
  view,
} from './envelope-bytes.ts'
import { scanHeaderLine, type ValueRange, wantedKey } from './scan-header-line.ts'
import { sdkLabel, sdkOfValue } from './sdk-label.ts'

export interface EnvelopeHeader {
  readonly eventId: EventId | undefined
  readonly dsn: string | undefined
  /** The text that the client sent. */
  readonly sentAt: string | undefined
  /** `name/version` of the SDK. */
  readonly sdk: string | undefined
}

export interface Item {
  readonly type: string
  /** The header is the line of `bytes` that begins here. */
  readonly headerStart: number
  /** The payload is `bytes[start, end)` of the envelope. */
  readonly start: number
  readonly end: number
}

export interface Envelope {
  readonly kind: 'envelope'
  readonly header: EnvelopeHeader
  readonly items: readonly Item[]
}

export interface MalformedEnvelope {
  readonly kind: 'malformed'
  /** `too_many_items` is a violation of size, the other reasons are violations of syntax. */
  readonly reason: 'malformed_envelope' | 'too_many_items'
  readonly detail: string
  readonly cause: string
}

/** Whether the SDK's name is read: only if the credentials do not contain it. */
export type EnvelopeWish = 'with sdk' | 'without sdk'

export function parseEnvelope(
  bytes: Uint8Array,
  wish: EnvelopeWish = 'with sdk',
): Envelope | MalformedEnvelope {
  const headerEnd = lineEnd(bytes, 0)
  const header = readEnvelopeHeader(bytes, headerEnd, wish)
  if ('kind' in header) return header

  const items: Item[] = []
  let at = headerEnd + 1
  while (at < bytes.length) {
    if (bytes[at] === LF && onlyLineFeeds(bytes, at)) break
    const itemHeaderEnd = lineEnd(bytes, at)
    const item = readItemHeader(bytes, at, itemHeaderEnd)
    if (item === undefined) {
      return malformed(`header of item ${items.length} is invalid`, itemHeaderRule)
    }
    if (items.length === itemsPerEnvelopeMax) {
      return {
        kind: 'malformed',
        reason: 'too_many_items',
        detail: 'envelope holds too many items',
        cause: `an envelope holds at most ${itemsPerEnvelopeMax} items`,
      }
    }
    const start = Math.min(itemHeaderEnd + 1, bytes.length)
    const end = item.length === undefined ? lineFeedFrom(bytes, start) : start + item.length
    if (bytes.length < end) {
      return malformed(
        `payload of item ${items.length} is cut short`,
        `length is ${item.length}, but only ${bytes.length - start} bytes follow`,
      )
    }
    if (end < bytes.length && bytes[end] !== LF) {
      return malformed(
        `payload of item ${items.length} does not end where its length says`,
        `a line feed or the end of the body must follow after ${item.length} bytes`,
      )
    }
    items.push({ type: item.type, headerStart: at, start, end })
    at = end + 1
  }
  return { kind: 'envelope', header, items }
}

/** Parses the header alone, for a sender that is identified by the `dsn` in it. */
export function parseEnvelopeHeader(bytes: Uint8Array): EnvelopeHeader | MalformedEnvelope {
  return readEnvelopeHeader(bytes, lineEnd(bytes, 0), 'with sdk')
}

const eventIdKey = wantedKey('event_id')
const dsnKey = wantedKey('dsn')
const sentAtKey = wantedKey('sent_at')
const sdkKey = wantedKey('sdk')
const envelopeKeys = [eventIdKey, dsnKey, sentAtKey, sdkKey]

function readEnvelopeHeader(
  bytes: Uint8Array,
  end: number,
  wish: EnvelopeWish,
): EnvelopeHeader | MalformedEnvelope {
  if (bytes.length === 0) return malformed('envelope is empty', 'the body has no bytes')
  if (headerLineBytesMax < end) {
    return malformed(
      'envelope header is too long',
      `a header line has at most ${headerLineBytesMax} bytes`,
    )
  }
  if (scanHeaderLine(bytes, 0, end, envelopeKeys)) {
    return {
      eventId: eventIdAt(bytes, eventIdKey.found),
      dsn: plainString(bytes, dsnKey.found),
      sentAt: sentAtOf(plainString(bytes, sentAtKey.found)),
      sdk: wish === 'with sdk' ? sdkOf(bytes, sdkKey.found) : undefined,
    }
  }
  const parsed = parseObject(bytes, 0, end)
  if (parsed === undefined) {
    return malformed('invalid envelope header', 'the first line must be one JSON object')
  }
  const dsn = parsed.get('dsn')
  const sentAt = parsed.get('sent_at')
  return {
    eventId: normalizeEventId(parsed.get('event_id')),
    dsn: typeof dsn === 'string' ? dsn : undefined,
    sentAt: sentAtOf(typeof sentAt === 'string' ? sentAt : undefined),
    sdk: sdkOfValue(parsed.get('sdk')),
  }
}

const typeKey = wantedKey('type')
const lengthKey = wantedKey('length')
const itemKeys = [typeKey, lengthKey]
const itemHeaderRule =
  'an item header must be one JSON object on one line with a string type and, if any, a non-negative integer length'

const plainLengthPrefix = Buffer.from('{"type":"event","length":')
/** Fifteen digits always fit a safe integer. */
const lengthDigitsMax = 15

/**
 * The length in `{"type":"event","length":N}`, the form that most SDKs write; -1 for any other
 * header.
 */
function plainEventLength(bytes: Uint8Array, start: number, end: number): number {
  const digits = start + plainLengthPrefix.length
  const digitCount = end - 1 - digits
  if (digitCount < 1 || digitCount > lengthDigitsMax || bytes[end - 1] !== 0x7d) return -1
  // JSON forbids a leading zero, except for zero itself.
  if (bytes[digits] === 0x30 && digitCount > 1) return -1
  if (!startsWith(bytes, start, plainLengthPrefix)) return -1
  let length = 0
  for (let at = digits; at < end - 1; at += 1) {
    const digit = bytes[at]! - 0x30
    if (digit < 0 || 9 < digit) return -1
    length = length * 10 + digit
  }
  return length
}

interface ItemHeader {
  readonly type: string
  readonly length: number | undefined
}

const plainEventHeader = Buffer.from('{"type":"event"}')
const plainEvent: ItemHeader = { type: 'event', length: undefined }

function readItemHeader(bytes: Uint8Array, start: number, end: number): ItemHeader | undefined {
  if (headerLineBytesMax < end - start) return undefined
  if (end - start === plainEventHeader.length && startsWith(bytes, start, plainEventHeader)) {
    return plainEvent
  }
  const eventBytes = plainEventLength(bytes, start, end)
  if (eventBytes >= 0) return { type: 'event', length: eventBytes }
  if (scanHeaderLine(bytes, start, end, itemKeys)) {
    const type = plainString(bytes, typeKey.found)
    if (type === undefined) return undefined
    if (lengthKey.found.start === lengthKey.found.end) return { type, length: undefined }
    const length: unknown = JSON.parse(latin1(bytes, lengthKey.found.start, lengthKey.found.end))
    return itemHeader(type, length)
  }
  const parsed = parseObject(bytes, start, end)
  return parsed === undefined ? undefined : itemHeader(parsed.get('type'), parsed.get('length'))
}

/** A null length counts as absent; hand-written clients send it. */
function itemHeader(type: unknown, length: unknown): ItemHeader | undefined {
  if (typeof type !== 'string') return undefined
  if (length === undefined || length === null) return { type, length: undefined }
  if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0) return undefined
  return { type, length }
}

/** A Map, so that a client's key cannot be mistaken for a property of Object.prototype. */
export function parseObject(
  bytes: Uint8Array,
  start: number,
  end: number,
): ReadonlyMap<string, unknown> | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(view(bytes).toString('utf8', start, end))
  } catch {
    return undefined
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined
  return new Map(Object.entries(parsed))
}

/** A plain id is used unchanged; all other forms are normalised. */
function eventIdAt(bytes: Uint8Array, range: ValueRange): EventId | undefined {
  return normalizeEventId(plainString(bytes, range))
}

/** The text of a string that the scanner has accepted: ASCII without escapes. */
function plainString(bytes: Uint8Array, range: ValueRange): string | undefined {
  let { start } = range
  if (bytes[start] === 0x20) start += 1
  if (range.end - start < 2 || bytes[start] !== 0x22) return undefined
  return latin1(bytes, start + 1, range.end - 1)
}

const sentAtCharactersMax = 64

/** A value that does not start like a date is dropped; the event is kept. */
function sentAtOf(text: string | undefined): string | undefined {
  if (text === undefined || text.length > sentAtCharactersMax) return undefined
  return /^\d{4}-\d\d-\d\d[Tt ][\d:.,Zz+-]+$/.test(text) ? text : undefined
}

const nameKey = wantedKey('name')
const versionKey = wantedKey('version')
const sdkKeys = [nameKey, versionKey]

function sdkOf(bytes: Uint8Array, range: ValueRange): string | undefined {
  if (range.start === range.end) return undefined
  let { start } = range
  if (bytes[start] === 0x20) start += 1
  if (!scanHeaderLine(bytes, start, range.end, sdkKeys)) return undefined
  const name = plainString(bytes, nameKey.found)
  return sdkLabel(name, plainString(bytes, versionKey.found))
}

function malformed(detail: string, cause: string): MalformedEnvelope {
  return { kind: 'malformed', reason: 'malformed_envelope', detail, cause }
}
