/**
 * Parses HTTP/1.1 responses with a Content-Length from one connection, and returns only the status.
 * A response usually arrives whole, so the common case is one pass over its head.
 */

/** Longer than any response of the servers under test. */
const responseBytesMax = 16 * 1024

export type ResponseState =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'complete'; readonly status: number; readonly closes: boolean }
  | { readonly kind: 'unreadable' }

const incomplete: ResponseState = { kind: 'incomplete' }
const unreadable: ResponseState = { kind: 'unreadable' }

export class ResponseReader {
  #kept: Buffer | undefined

  /** `bytes` may be overwritten after the call. */
  push(bytes: Buffer): ResponseState {
    const whole = this.#kept === undefined ? bytes : Buffer.concat([this.#kept, bytes])
    const state = readResponse(whole)
    this.#kept = state.kind === 'incomplete' ? Buffer.from(whole) : undefined
    return state
  }

  reset(): void {
    this.#kept = undefined
  }
}

const lineFeed = 10
const carriageReturn = 13

function readResponse(bytes: Buffer): ResponseState {
  if (bytes.length > responseBytesMax) return unreadable
  let contentLength = -1
  let closes = false
  let at = bytes.indexOf(lineFeed) + 1
  if (at === 0) return incomplete
  while (true) {
    if (bytes[at] === carriageReturn) break
    const lineEnd = bytes.indexOf(lineFeed, at)
    if (lineEnd === -1) return incomplete
    if (lineEnd - at > 16 && begins(bytes, at, contentLengthName)) {
      contentLength = Number(bytes.toString('latin1', at + 15, lineEnd))
    } else if (begins(bytes, at, connectionClose)) {
      closes = true
    }
    at = lineEnd + 1
  }
  if (!Number.isInteger(contentLength) || contentLength < 0) return unreadable
  const end = at + 2 + contentLength
  if (bytes.length < end) return incomplete
  // One request is in flight, so bytes after its response are a protocol error.
  if (bytes.length > end) return unreadable
  const status = statusOf(bytes)
  return status === undefined ? unreadable : { kind: 'complete', status, closes }
}

/** `HTTP/1.1 200` */
function statusOf(bytes: Buffer): number | undefined {
  const [hundreds, tens, ones] = [bytes[9]! - 48, bytes[10]! - 48, bytes[11]! - 48]
  if (!(hundreds >= 1 && hundreds <= 5 && tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9)) {
    return undefined
  }
  return hundreds * 100 + tens * 10 + ones
}

const contentLengthName = Buffer.from('content-length:')
const connectionClose = Buffer.from('connection: close')

/** `name` must be lowercase. */
function begins(bytes: Buffer, at: number, name: Buffer): boolean {
  for (let index = 0; index < name.length; index += 1) {
    // This bit makes ASCII characters lowercase and leaves '-', ':' and ' ' unchanged.
    if ((bytes[at + index]! | 0x20) !== name[index]) return false
  }
  return true
}
