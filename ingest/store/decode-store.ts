/**
 * Decodes the body of `/store/`, the endpoint of older clients: one JSON event, plain, in base64,
 * or in base64 over zlib. Some old Python clients write bare NaN and Infinity, which are not JSON.
 * They are replaced by null, but only after parsing has failed.
 */
import { inflateSync } from 'node:zlib'
import { eventBytesMax } from '#schemas/limits.ts'
import { replaceBareNumbers } from '#schemas/wire/replace-bare-numbers.ts'

export type StoreBody =
  | {
      readonly kind: 'event'
      readonly bytes: Buffer
      readonly fields: ReadonlyMap<string, unknown>
    }
  | { readonly kind: 'malformed'; readonly cause: string }
  | { readonly kind: 'too_large' }

/** Base64 turns three bytes into four; line breaks add more. */
const encodedBytesMax = 2 * eventBytesMax

export function decodeStore(body: Buffer): StoreBody {
  // Checked first: a body may be fifty times larger than an event.
  if (encodedBytesMax < body.length) return { kind: 'too_large' }
  const first = firstByte(body)
  if (first === undefined) return { kind: 'malformed', cause: 'the body is empty' }
  const bytes = first === 0x7b || first === 0x5b || !isBase64(body) ? body : fromBase64(body)
  if (bytes === 'too_large' || (bytes !== 'corrupt' && eventBytesMax < bytes.length)) {
    return { kind: 'too_large' }
  }
  if (bytes === 'corrupt') {
    return { kind: 'malformed', cause: 'the body is neither JSON nor base64 of JSON or zlib' }
  }
  return parseEvent(bytes)
}

function parseEvent(bytes: Buffer): StoreBody {
  let text = bytes.toString('utf8')
  let parsed: unknown
  let repaired = false
  try {
    parsed = JSON.parse(text)
  } catch {
    text = replaceBareNumbers(text)
    repaired = true
    try {
      parsed = JSON.parse(text)
    } catch {
      return { kind: 'malformed', cause: 'the event is not valid JSON' }
    }
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return { kind: 'malformed', cause: 'the event must be a JSON object' }
  }
  return {
    kind: 'event',
    bytes: repaired ? Buffer.from(text) : bytes,
    fields: new Map(Object.entries(parsed)),
  }
}

function firstByte(body: Buffer): number | undefined {
  for (const byte of body) if (!isSpace(byte)) return byte
  return undefined
}

/** Base64 characters, at most two `=` at the end, and white space anywhere. A single pass. */
function isBase64(body: Buffer): boolean {
  let padCount = 0
  for (const byte of body) {
    if (isSpace(byte)) continue
    if (byte === pad) padCount += 1
    else if (padCount > 0 || !isBase64Character(byte)) return false
  }
  return padCount <= 2
}

const pad = 0x3d

function isBase64Character(byte: number): boolean {
  if (0x30 <= byte && byte <= 0x39) return true
  if (0x41 <= byte && byte <= 0x5a) return true
  if (0x61 <= byte && byte <= 0x7a) return true
  return byte === 0x2b || byte === 0x2f
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function fromBase64(body: Buffer): Buffer | 'corrupt' | 'too_large' {
  const bytes = Buffer.from(body.toString('latin1'), 'base64')
  if (firstByte(bytes) === 0x7b) return bytes
  try {
    return inflateSync(bytes, { maxOutputLength: eventBytesMax })
  } catch (error) {
    const overCap =
      error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    return overCap ? 'too_large' : 'corrupt'
  }
}
