/**
 * Finds the records of error severity in an `ExportLogsServiceRequest` without decoding it: for a
 * record below error it only reads field headers and allocates nothing. Field numbers are those of
 * `logs.proto` (OTLP 1.x). Unknown fields are skipped by their wire type, fields may be in any
 * order, and the last of repeated severities counts, as in the protobuf encoding.
 */
import { errorSeverityMin } from '#schemas/wire/otlp-log.ts'
import {
  type FoundLogs,
  type FoundOwner,
  type FoundRecord,
  type MalformedLogs,
  noRanges,
  type Ranges,
} from './found-logs.ts'
import { varintEnd, varintInt32, varintValue } from './protobuf-varint.ts'
import { isErrorText } from './severity.ts'
import { isTag, skipField, skipWholeField } from './skip-protobuf-field.ts'

/** Field number and wire type as one byte. */
const lengthDelimited = (field: number) => (field << 3) | 2
const resourceLogsTag = lengthDelimited(1)
const resourceTag = lengthDelimited(1)
const scopeLogsTag = lengthDelimited(2)
const scopeTag = lengthDelimited(1)
const logRecordsTag = lengthDelimited(2)
const severityNumberTag = 2 << 3
const severityTextTag = lengthDelimited(3)

/**
 * Parts of one resource or scope. Several parts are legal, but no exporter is known to send them.
 */
const partsMax = 16

export function scanProtobufLogs(bytes: Uint8Array): FoundLogs | MalformedLogs {
  const found = new Found()
  const isWhole = scanRequest(bytes, found)
  if (!isWhole) return { kind: 'malformed', cause: 'the body is no ExportLogsServiceRequest' }
  return { kind: 'logs', ...found }
}

class Found {
  droppedCount = 0
  readonly records: FoundRecord[] = []
  resource = noRanges
}

function scanRequest(bytes: Uint8Array, found: Found): boolean {
  return eachField(bytes, 0, bytes.length, (tag, start, end) => {
    return tag !== resourceLogsTag || scanResourceLogs(bytes, start, end, found)
  })
}

function scanResourceLogs(bytes: Uint8Array, from: number, to: number, found: Found): boolean {
  let resource = noRanges
  const firstRecord = found.records.length
  const isWhole = eachField(bytes, from, to, (tag, start, end) => {
    if (tag === scopeLogsTag) return scanScopeLogs(bytes, start, end, found)
    if (tag === resourceTag) resource = withRange(resource, start, end)
    return resource.length <= partsMax
  })
  if (found.resource.length === 0) found.resource = resource
  // Read last, because the resource may follow the records.
  for (let index = firstRecord; index < found.records.length; index += 1) {
    found.records[index]!.owner.resource = resource
  }
  return isWhole
}

function scanScopeLogs(bytes: Uint8Array, from: number, to: number, found: Found): boolean {
  let scope = noRanges
  let owner: FoundOwner | undefined
  let at = from
  while (at < to) {
    // Tags or lengths of several bytes, and all other fields, take the general path.
    const tag = bytes[at]!
    const tagEnd = tag < 0x80 ? at + 1 : varintEnd(bytes, at, to)
    if (tagEnd < 0) return false
    const wholeTag = tag < 0x80 ? tag : varintValue(bytes, at, tagEnd)
    if (!isTag(wholeTag)) return false
    const next = skipField(bytes, wholeTag, tagEnd, to)
    if (next < 0) return false
    if (wholeTag === logRecordsTag) {
      const start = varintEnd(bytes, tagEnd, next)
      const fate = fateOfRecord(bytes, start, next)
      if (fate === 'malformed') return false
      if (fate === 'drop') found.droppedCount += 1
      else {
        owner ??= { resource: noRanges, scope: noRanges }
        found.records.push({ start, end: next, owner })
      }
    } else if (wholeTag === scopeTag) {
      if (scope.length === partsMax) return false
      scope = withRange(scope, varintEnd(bytes, tagEnd, next), next)
    }
    at = next
  }
  if (owner !== undefined) owner.scope = scope
  return true
}

/**
 * Runs for every record, so it is optimised: one iteration per field. Exporters write tags of one
 * byte and lengths of one or two, which are read in place as small integers.
 */
function fateOfRecord(bytes: Uint8Array, from: number, to: number): 'keep' | 'drop' | 'malformed' {
  let severity = 0
  let textStart = 0
  let textEnd = 0
  let at = from
  while (at < to) {
    const tag = bytes[at]!
    const start = at + 2
    if (start <= to && tag > 7) {
      const head = bytes[at + 1]!
      const kind = tag & 0x87
      if (kind === 2 && head < 0x80) {
        at = start + head
        if (tag === severityTextTag) {
          textStart = start
          textEnd = at
        }
        if (at <= to) continue
        return 'malformed'
      }
      if (kind === 1 && at + 9 <= to) {
        at += 9
        continue
      }
      if (tag === severityNumberTag && head < 0x80) {
        severity = head
        at = start
        continue
      }
    }
    const next = skipWholeField(bytes, at, to)
    if (next < 0) return 'malformed'
    const longTag = varintValue(bytes, at, varintEnd(bytes, at, to))
    if (longTag === severityNumberTag) {
      severity = varintInt32(bytes, varintEnd(bytes, at, to), next)
    } else if (longTag === severityTextTag) {
      textStart = varintEnd(bytes, varintEnd(bytes, at, to), next)
      textEnd = next
    }
    at = next
  }
  if (severity <= 0) return isErrorText(bytes, textStart, textEnd) ? 'keep' : 'drop'
  return severity >= errorSeverityMin ? 'keep' : 'drop'
}

/** Calls back for each field with the range of its value, until the callback returns false. */
function eachField(
  bytes: Uint8Array,
  from: number,
  to: number,
  take: (tag: number, start: number, end: number) => boolean,
): boolean {
  let at = from
  while (at < to) {
    const tagEnd = varintEnd(bytes, at, to)
    if (tagEnd < 0) return false
    const tag = varintValue(bytes, at, tagEnd)
    if (!isTag(tag)) return false
    const next = skipField(bytes, tag, tagEnd, to)
    if (next < 0) return false
    const start = (tag & 7) === 2 ? varintEnd(bytes, tagEnd, next) : tagEnd
    if (!take(tag, start, next)) return false
    at = next
  }
  return true
}

function withRange(ranges: Ranges, start: number, end: number): Ranges {
  return [...ranges, [start, end]]
}
