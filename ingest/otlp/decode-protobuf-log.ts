/**
 * Decodes records, resources and scopes of the protobuf encoding. Called only for records that
 * become events.
 */
import {
  type OtlpAttributes,
  type OtlpLogRecord,
  type OtlpScope,
  type OtlpValue,
  otlpValueDepthMax,
} from '#schemas/wire/otlp-log.ts'
import type { Ranges } from './found-logs.ts'
import { otlpDouble, otlpInteger, spanIdOf, traceIdOf } from './otlp-values.ts'
import { type DecodeState, ProtobufFields } from './protobuf-fields.ts'

const varint = (field: number) => field << 3
const fixed64 = (field: number) => (field << 3) | 1
const delimited = (field: number) => (field << 3) | 2

export function decodeProtobufRecord(fields: ProtobufFields): OtlpLogRecord {
  let timeUnixNano = 0n
  let observedTimeUnixNano = 0n
  let severityNumber = 0
  let severityText = ''
  let body: OtlpValue = null
  const attributes = new Map<string, OtlpValue>()
  let traceId = ''
  let spanId = ''
  let eventName = ''
  while (fields.advance()) {
    switch (fields.tag) {
      case fixed64(1):
        timeUnixNano = fields.fixed64()
        break
      case varint(2):
        severityNumber = fields.int32()
        break
      case delimited(3):
        severityText = fields.text()
        break
      case delimited(5):
        body = readValue(fields.inner(), 0)
        break
      case delimited(6):
        readKeyValue(fields.inner(), attributes, 0)
        break
      case delimited(9):
        traceId = fields.hex()
        break
      case delimited(10):
        spanId = fields.hex()
        break
      case fixed64(11):
        observedTimeUnixNano = fields.fixed64()
        break
      case delimited(12):
        eventName = fields.text()
        break
    }
  }
  return {
    timeUnixNano,
    observedTimeUnixNano,
    severityNumber,
    severityText,
    body,
    attributes,
    traceId: traceIdOf(traceId),
    spanId: spanIdOf(spanId),
    eventName,
  }
}

export function decodeProtobufResource(
  bytes: Buffer,
  ranges: Ranges,
  state: DecodeState,
): OtlpAttributes {
  const attributes = new Map<string, OtlpValue>()
  for (const [start, end] of ranges) {
    const fields = new ProtobufFields(bytes, start, end, state)
    while (fields.advance()) {
      if (fields.tag === delimited(1)) readKeyValue(fields.inner(), attributes, 0)
    }
  }
  return attributes
}

export function decodeProtobufScope(bytes: Buffer, ranges: Ranges, state: DecodeState): OtlpScope {
  let name = ''
  let version = ''
  const attributes = new Map<string, OtlpValue>()
  for (const [start, end] of ranges) {
    const fields = new ProtobufFields(bytes, start, end, state)
    while (fields.advance()) {
      if (fields.tag === delimited(1)) name = fields.text()
      else if (fields.tag === delimited(2)) version = fields.text()
      else if (fields.tag === delimited(3)) readKeyValue(fields.inner(), attributes, 0)
    }
  }
  return { name, version, attributes }
}

function readKeyValue(
  fields: ProtobufFields,
  attributes: Map<string, OtlpValue>,
  depth: number,
): void {
  let key = ''
  let value: OtlpValue = null
  while (fields.advance()) {
    if (fields.tag === delimited(1)) key = fields.text()
    else if (fields.tag === delimited(2)) value = readValue(fields.inner(), depth)
  }
  if (key !== '') attributes.set(key, value)
}

/** The last alternative of the `oneof` counts; without any the value is null. */
function readValue(fields: ProtobufFields, depth: number): OtlpValue {
  let value: OtlpValue = null
  while (fields.advance()) {
    switch (fields.tag) {
      case delimited(1):
        value = fields.text()
        break
      case varint(2):
        value = fields.int64() !== 0n
        break
      case varint(3):
        value = otlpInteger(fields.int64())
        break
      case fixed64(4):
        value = otlpDouble(fields.double())
        break
      case delimited(5):
        value = depth < otlpValueDepthMax ? readList(fields.inner(), depth + 1) : null
        break
      case delimited(6):
        value = depth < otlpValueDepthMax ? readMap(fields.inner(), depth + 1) : null
        break
      case delimited(7):
        value = fields.base64()
        break
    }
  }
  return value
}

function readList(fields: ProtobufFields, depth: number): OtlpValue {
  const values: OtlpValue[] = []
  while (fields.advance()) {
    if (fields.tag === delimited(1)) values.push(readValue(fields.inner(), depth))
  }
  return values
}

function readMap(fields: ProtobufFields, depth: number): OtlpValue {
  const entries = new Map<string, OtlpValue>()
  while (fields.advance()) {
    if (fields.tag === delimited(1)) readKeyValue(fields.inner(), entries, depth)
  }
  return Object.fromEntries(entries)
}
