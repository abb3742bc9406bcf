import { varintEnd, varintInt32, varintInt64, varintValue } from './protobuf-varint.ts'
import { isTag, skipField } from './skip-protobuf-field.ts'

/** Shared by all readers of a request, and set when any part of it is malformed. */
export interface DecodeState {
  isMalformed: boolean
}

/**
 * Reads a message field by field. The caller skips fields with unknown numbers. A field that is cut
 * short ends the message and marks the whole request as malformed.
 */
export class ProtobufFields {
  readonly #bytes: Buffer
  readonly #state: DecodeState
  readonly #end: number
  #next: number
  #start = 0
  /** Field number and wire type in one integer, as encoded. */
  tag = 0

  constructor(bytes: Buffer, start: number, end: number, state: DecodeState) {
    this.#bytes = bytes
    this.#state = state
    this.#next = start
    this.#end = end
  }

  /** Returns false after the last field. */
  advance(): boolean {
    const at = this.#next
    if (at >= this.#end) return false
    const tagEnd = varintEnd(this.#bytes, at, this.#end)
    const tag = tagEnd < 0 ? 0 : varintValue(this.#bytes, at, tagEnd)
    const next = isTag(tag) ? skipField(this.#bytes, tag, tagEnd, this.#end) : -1
    if (next < 0) {
      this.#state.isMalformed = true
      this.#next = this.#end
      return false
    }
    this.tag = tag
    this.#next = next
    this.#start = (tag & 7) === 2 ? varintEnd(this.#bytes, tagEnd, next) : tagEnd
    return true
  }

  /** The message in the current field. */
  inner(): ProtobufFields {
    return new ProtobufFields(this.#bytes, this.#start, this.#next, this.#state)
  }

  text(): string {
    return this.#bytes.toString('utf8', this.#start, this.#next)
  }

  base64(): string {
    return this.#bytes.toString('base64', this.#start, this.#next)
  }

  hex(): string {
    return this.#bytes.toString('hex', this.#start, this.#next)
  }

  int32(): number {
    return varintInt32(this.#bytes, this.#start, this.#next)
  }

  int64(): bigint {
    return varintInt64(this.#bytes, this.#start, this.#next)
  }

  fixed64(): bigint {
    return this.#bytes.readBigUInt64LE(this.#start)
  }

  double(): number {
    return this.#bytes.readDoubleLE(this.#start)
  }
}
