/**
 * The two encodings of OTLP over HTTP: how bodies are read and replies are written. A reply uses
 * the encoding of its request.
 */
import type { OtlpAttributes, OtlpScope } from '#schemas/wire/otlp-log.ts'
import { decodeJsonRecord, decodeJsonResource, decodeJsonScope } from './decode-json-log.ts'
import {
  decodeProtobufRecord,
  decodeProtobufResource,
  decodeProtobufScope,
} from './decode-protobuf-log.ts'
import type { OtlpLog } from './event-of-log.ts'
import type { FoundLogs, FoundRecord, MalformedLogs, Ranges } from './found-logs.ts'
import { type DecodeState, ProtobufFields } from './protobuf-fields.ts'
import { scanJsonLogs } from './scan-json-logs.ts'
import { scanProtobufLogs } from './scan-protobuf-logs.ts'

export interface OtlpEncoding {
  readonly contentType: string
  /** Rejection reason of a body that cannot be read. */
  readonly malformedReason: 'malformed_envelope' | 'invalid_json'
  scan(bytes: Uint8Array): FoundLogs | MalformedLogs
  reader(bytes: Buffer): LogReader
  /** `ExportLogsServiceResponse`. */
  success(rejectedCount: number, message: string): string | Uint8Array
  /** `google.rpc.Status`. */
  failure(code: number, message: string): string | Uint8Array
}

/** Decodes records that a scan has found in the same bytes. */
export interface LogReader {
  /** Undefined when the record, its resource or its scope is malformed. */
  read(found: FoundRecord): OtlpLog | undefined
  /** The attributes of a resource; of a malformed one those that can be read. */
  readResource(ranges: Ranges): OtlpAttributes
}

export const protobufEncoding: OtlpEncoding = {
  contentType: 'application/x-protobuf',
  malformedReason: 'malformed_envelope',
  scan: scanProtobufLogs,
  reader: (bytes) => new ProtobufReader(bytes),
  success(rejectedCount, message) {
    if (rejectedCount === 0 && message === '') return ''
    const partial = Buffer.concat([numberField(1, rejectedCount), textField(2, message)])
    return messageField(1, partial)
  },
  failure: (code, message) => Buffer.concat([numberField(1, code), textField(2, message)]),
}

export const jsonEncoding: OtlpEncoding = {
  contentType: 'application/json',
  malformedReason: 'invalid_json',
  scan: scanJsonLogs,
  reader: (bytes) => new JsonReader(bytes),
  success(rejectedCount, message) {
    if (rejectedCount === 0 && message === '') return '{}'
    // The JSON form of protobuf writes 64-bit integers as strings.
    const partialSuccess = { rejectedLogRecords: String(rejectedCount), errorMessage: message }
    return JSON.stringify({ partialSuccess })
  },
  failure: (code, message) => JSON.stringify({ code, message }),
}

/** Resources and scopes are in the order of their records, so only the last of each is cached. */
class LastRead<Value> {
  readonly #read: (ranges: Ranges) => Value
  #last: { readonly ranges: Ranges; readonly value: Value } | undefined

  constructor(read: (ranges: Ranges) => Value) {
    this.#read = read
  }

  of(ranges: Ranges): Value {
    if (this.#last?.ranges !== ranges) this.#last = { ranges, value: this.#read(ranges) }
    return this.#last.value
  }
}

class ProtobufReader implements LogReader {
  readonly #bytes: Buffer
  readonly #state: DecodeState = { isMalformed: false }
  readonly #resource: LastRead<OtlpAttributes>
  readonly #scope: LastRead<OtlpScope>

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#resource = new LastRead((ranges) => decodeProtobufResource(bytes, ranges, this.#state))
    this.#scope = new LastRead((ranges) => decodeProtobufScope(bytes, ranges, this.#state))
  }

  read({ start, end, owner }: FoundRecord): OtlpLog | undefined {
    const fields = new ProtobufFields(this.#bytes, start, end, this.#state)
    const log = {
      record: decodeProtobufRecord(fields),
      resource: this.#resource.of(owner.resource),
      scope: this.#scope.of(owner.scope),
    }
    return this.#state.isMalformed ? undefined : log
  }

  readResource(ranges: Ranges): OtlpAttributes {
    // Records that are dropped unread do not make the body malformed.
    return decodeProtobufResource(this.#bytes, ranges, { isMalformed: false })
  }
}

class JsonReader implements LogReader {
  readonly #bytes: Buffer
  readonly #resource = new LastRead((ranges) => decodeJsonResource(this.#lastOf(ranges)))
  readonly #scope = new LastRead((ranges) => decodeJsonScope(this.#lastOf(ranges)))

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  read({ start, end, owner }: FoundRecord): OtlpLog {
    return {
      record: decodeJsonRecord(this.#parse(start, end)),
      resource: this.#resource.of(owner.resource),
      scope: this.#scope.of(owner.scope),
    }
  }

  readResource(ranges: Ranges): OtlpAttributes {
    return this.#resource.of(ranges)
  }

  #lastOf(ranges: Ranges): unknown {
    const range = ranges.at(-1)
    return range === undefined ? null : this.#parse(...range)
  }

  /** The scan has validated the JSON. */
  #parse(start: number, end: number): unknown {
    return JSON.parse(this.#bytes.toString('utf8', start, end))
  }
}

// The few small protobuf messages of replies. Fields with the default value are omitted (proto3).

function numberField(field: number, value: number): Buffer {
  return value === 0 ? Buffer.alloc(0) : Buffer.from([...varint(field << 3), ...varint(value)])
}

function textField(field: number, text: string): Buffer {
  return text === '' ? Buffer.alloc(0) : messageField(field, Buffer.from(text))
}

function messageField(field: number, message: Uint8Array): Buffer {
  const head = [...varint((field << 3) | 2), ...varint(message.length)]
  return Buffer.concat([Buffer.from(head), message])
}

/** @param value a whole number from 0. */
function varint(value: number): number[] {
  const bytes: number[] = []
  let left = value
  while (left >= 0x80) {
    bytes.push((left % 0x80) | 0x80)
    left = Math.floor(left / 0x80)
  }
  bytes.push(left)
  return bytes
}
