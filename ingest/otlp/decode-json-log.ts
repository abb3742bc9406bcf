/**
 * Decodes parsed records, resources and scopes of the JSON encoding. Values of the wrong type count
 * as absent: an invalid attribute must not cost the error that contains it.
 */
import {
  type OtlpAttributes,
  type OtlpLogRecord,
  type OtlpScope,
  type OtlpValue,
  otlpValueDepthMax,
} from '#schemas/wire/otlp-log.ts'
import { otlpDouble, otlpInteger, spanIdOf, traceIdOf } from './otlp-values.ts'
import { severityOfValue } from './severity.ts'

export function decodeJsonRecord(value: unknown): OtlpLogRecord {
  const record = objectOf(value)
  return {
    timeUnixNano: nanosOf(record['timeUnixNano']),
    observedTimeUnixNano: nanosOf(record['observedTimeUnixNano']),
    severityNumber: severityOfValue(record['severityNumber']),
    severityText: textOf(record['severityText']),
    body: readValue(record['body'], 0),
    attributes: readAttributes(record['attributes'], 0),
    traceId: traceIdOf(textOf(record['traceId'])),
    spanId: spanIdOf(textOf(record['spanId'])),
    eventName: textOf(record['eventName']),
  }
}

export function decodeJsonResource(value: unknown): OtlpAttributes {
  return readAttributes(objectOf(value)['attributes'], 0)
}

export function decodeJsonScope(value: unknown): OtlpScope {
  const scope = objectOf(value)
  return {
    name: textOf(scope['name']),
    version: textOf(scope['version']),
    attributes: readAttributes(scope['attributes'], 0),
  }
}

interface JsonObject {
  readonly [key: string]: unknown
}

function objectOf(value: unknown): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  return value as JsonObject
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** 64-bit integers are strings by the specification; some senders write numbers. */
function integerOf(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined
  return typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? BigInt(value) : undefined
}

function nanosOf(value: unknown): bigint {
  const nanos = integerOf(value) ?? 0n
  return nanos > 0n ? BigInt.asUintN(64, nanos) : 0n
}

function readAttributes(value: unknown, depth: number): Map<string, OtlpValue> {
  const attributes = new Map<string, OtlpValue>()
  if (!Array.isArray(value)) return attributes
  for (const one of value) {
    const { key, value: sent } = objectOf(one)
    if (typeof key === 'string' && key !== '') attributes.set(key, readValue(sent, depth))
  }
  return attributes
}

/** Several alternatives of a `oneof` are invalid; the one with the lowest field number counts. */
function readValue(value: unknown, depth: number): OtlpValue {
  const any = objectOf(value)
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = any
  if (typeof stringValue === 'string') return stringValue
  if (typeof boolValue === 'boolean') return boolValue
  const integer = integerOf(intValue)
  if (integer !== undefined) return otlpInteger(BigInt.asIntN(64, integer))
  const double = doubleOf(doubleValue)
  if (double !== undefined) return otlpDouble(double)
  if (arrayValue !== undefined && arrayValue !== null) {
    const { values } = objectOf(arrayValue)
    if (otlpValueDepthMax <= depth) return null
    return Array.isArray(values) ? values.map((one) => readValue(one, depth + 1)) : []
  }
  if (kvlistValue !== undefined && kvlistValue !== null) {
    if (otlpValueDepthMax <= depth) return null
    return Object.fromEntries(readAttributes(objectOf(kvlistValue)['values'], depth + 1))
  }
  return typeof bytesValue === 'string' ? bytesValue : null
}

function doubleOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return undefined
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value)
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/.test(value) ? Number(value) : undefined
}
