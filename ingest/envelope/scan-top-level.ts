/**
 * Reads `event_id` and `type` of an event from its bytes, without parsing it. Breadcrumbs and contexts
 * carry keys of the same names, so the depth is followed; only keys of the outermost object count.
 * On bytes that are not JSON it finds what it finds: whether they are JSON is the worker's to say.
 */
export interface TopLevelFields {
  eventId: string | undefined
  type: string | undefined
}

const quote = 0x22
const backslash = 0x5c
const eventIdName = Buffer.from('event_id')
const typeName = Buffer.from('type')

/** Of repeated keys the last one wins, as in `JSON.parse`. */
export function scanTopLevel(bytes: Uint8Array, start: number, end: number): TopLevelFields {
  const fields: TopLevelFields = { eventId: undefined, type: undefined }
  let at = skipSpace(bytes, start, end)
  if (bytes[at] !== 0x7b) return fields
  at = skipSpace(bytes, at + 1, end)
  while (at < end && bytes[at] === quote) {
    const keyEnd = stringEnd(bytes, at, end)
    let valueStart = skipSpace(bytes, keyEnd, end)
    if (valueStart >= end || bytes[valueStart] !== 0x3a) return fields
    valueStart = skipSpace(bytes, valueStart + 1, end)
    const valueEnd = endOfValue(bytes, valueStart, end)
    if (isKey(bytes, at, keyEnd, eventIdName)) {
      fields.eventId = stringAt(bytes, valueStart, valueEnd)
    } else if (isKey(bytes, at, keyEnd, typeName)) {
      fields.type = stringAt(bytes, valueStart, valueEnd)
    }
    at = skipSpace(bytes, valueEnd, end)
    if (at >= end || bytes[at] !== 0x2c) return fields
    at = skipSpace(bytes, at + 1, end)
  }
  return fields
}

/** The position after the closing quote; `end` when there is none. */
function stringEnd(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start + 1; at < end; at += 1) {
    const byte = bytes[at]
    if (byte === quote) return at + 1
    if (byte === backslash) at += 1
  }
  return end
}

function endOfValue(bytes: Uint8Array, start: number, end: number): number {
  const first = bytes[start]
  if (first === quote) return stringEnd(bytes, start, end)
  let depth = 0
  let at = start
  while (at < end) {
    const byte = bytes[at]!
    if (byte === quote) {
      at = stringEnd(bytes, at, end)
      continue
    }
    if (byte === 0x7b || byte === 0x5b) depth += 1
    else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 0) return at
      depth -= 1
      if (depth === 0) return at + 1
    } else if (depth === 0 && (byte === 0x2c || isSpace(byte))) return at
    at += 1
  }
  return end
}

/** An escape may stand in a key too: then the parser reads it. */
function isKey(bytes: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  if (end - start === name.length + 2) {
    for (let at = 0; at < name.length; at += 1) {
      if (bytes[start + 1 + at] !== name[at]) return false
    }
    return true
  }
  if (end - start < name.length + 2) return false
  if (!hasEscape(bytes, start, Math.min(end, start + 64))) return false
  return stringAt(bytes, start, end) === Buffer.from(name).toString()
}

function hasEscape(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (bytes[at] === backslash) return true
  return false
}

function stringAt(bytes: Uint8Array, start: number, end: number): string | undefined {
  // Longer strings are neither an id nor a type.
  if (bytes[start] !== quote || end - start > 1024) return undefined
  try {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString()
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'string' ? parsed : undefined
  } catch {
    return undefined
  }
}

function skipSpace(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && isSpace(bytes[at]!)) at += 1
  return at
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
