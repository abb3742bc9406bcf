/**
 * Cuts the bytes that nats-server sends where large messages begin and end, so that each arrives in
 * memory of its own. The parser of the client looks into what it gets: of a message of several
 * reads it would collect the parts in buffers that double, and copy it two or three times.
 *
 *   MSG <subject> <sid> [reply] <bytes>\r\n<payload>\r\n
 *   HMSG <subject> <sid> [reply] <bytes of headers> <bytes of both>\r\n<headers and payload>\r\n
 *   anything else\r\n
 *
 * https://docs.nats.io/reference/reference-protocols/nats-protocol
 */
import { KiB, MiB } from '#schemas/limits.ts'

/** Bytes, with line and payload, from which a message gets memory of its own. */
const ownMemoryBytesMin = 16 * KiB
/** The client refuses larger messages. */
const messageBytesMax = 64 * MiB
const messageEndBytes = '\r\n'.length
const newline = 0x0a
const space = 0x20
/** The reply subject of a message that a consumer of a stream delivers begins like this. */
const deliveryReply = ' $JS.ACK.'
const zero = 0x30
const nine = 0x39
/** How `MSG` and `HMSG` begin, in either case. */
const messageInitials = new Set(Buffer.from('MmHh'))

/**
 * Of a connection. A large message begins in it, and its end is read to where it belongs, so most
 * of it is never copied.
 */
const readBytes = 16 * KiB

export interface CutterOptions {
  /** Returns memory for a large message that a consumer of a stream delivers. */
  readonly take: (byteLength: number) => Buffer
  /** Gets all bytes in order. They are its own. */
  readonly emit: (bytes: Buffer) => void
}

interface LargeMessage {
  readonly bytes: Buffer
  filled: number
}

export class MessageCutter {
  readonly #take: CutterOptions['take']
  readonly #emit: CutterOptions['emit']
  /** The beginning of a line or of a small message. */
  #rest: Buffer | undefined
  #large: LargeMessage | undefined
  readonly #readBuffer = Buffer.allocUnsafeSlow(readBytes)

  constructor({ take, emit }: CutterOptions) {
    this.#take = take
    this.#emit = emit
  }

  /** Returns where to write the bytes that come next, for `wrote`. */
  nextPlace(): Buffer {
    const large = this.#readInto()
    return large?.bytes.subarray(large.filled) ?? this.#readBuffer
  }

  /** @param length how many bytes were written to the last `nextPlace` */
  wrote(length: number): void {
    const large = this.#readInto()
    if (large === undefined) this.push(this.#readBuffer.subarray(0, length))
    else this.#grow(large, length)
  }

  /** The large message, if so much of it is missing that it is worth a read of its own. */
  #readInto(): LargeMessage | undefined {
    const large = this.#large
    return large !== undefined && large.bytes.length - large.filled >= readBytes ? large : undefined
  }

  /** The bytes may be overwritten when it returns. */
  push(chunk: Uint8Array): void {
    const rest = this.#rest
    this.#rest = undefined
    const bytes =
      rest === undefined
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
        : Buffer.concat([rest, chunk])
    let start = this.#fillLarge(bytes, 0)
    let at = start
    while (at < bytes.length) {
      const lineEnd = bytes.indexOf(newline, at)
      if (lineEnd === -1) break
      const payload = payloadBytes(bytes, at, lineEnd)
      const end = lineEnd + 1 + payload
      if (payload > 0 && end - at >= ownMemoryBytesMin) {
        this.#emitSmall(bytes, start, at)
        const isDelivery = bytes.subarray(at, lineEnd).includes(deliveryReply)
        const memory = isDelivery ? this.#take(end - at) : Buffer.allocUnsafeSlow(end - at)
        this.#large = { bytes: memory, filled: 0 }
        at = this.#fillLarge(bytes, at)
        start = at
      } else if (end <= bytes.length) at = end
      else break
    }
    this.#emitSmall(bytes, start, at)
    if (at < bytes.length) this.#rest = Buffer.from(bytes.subarray(at))
  }

  /** Returns the place behind what the large message takes of `bytes`. */
  #fillLarge(bytes: Buffer, from: number): number {
    const large = this.#large
    if (large === undefined) return from
    const copied = bytes.copy(large.bytes, large.filled, from)
    this.#grow(large, copied)
    return from + copied
  }

  #grow(large: LargeMessage, length: number): void {
    large.filled += length
    if (large.filled < large.bytes.length) return
    this.#large = undefined
    this.#emit(large.bytes)
  }

  #emitSmall(bytes: Buffer, start: number, end: number): void {
    if (start < end) this.#emit(Buffer.from(bytes.subarray(start, end)))
  }
}

/**
 * Returns how many bytes follow the line that begins at `start`: 0 for a line that is no message,
 * and for one that no server sends, about which the client's parser complains.
 */
function payloadBytes(bytes: Buffer, start: number, lineEnd: number): number {
  if (!messageInitials.has(bytes[start]!)) return 0
  let at = lineEnd
  while (at > start && isSpace(bytes[at - 1]!)) at -= 1
  let size = 0
  for (let unit = 1; at > start && isDigit(bytes[at - 1]!); unit *= 10) {
    at -= 1
    size += (bytes[at]! - zero) * unit
    if (size > messageBytesMax || unit > Number.MAX_SAFE_INTEGER) return 0
  }
  return size + messageEndBytes
}

function isSpace(byte: number): boolean {
  return byte <= space
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= nine
}
