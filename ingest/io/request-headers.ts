/**
 * The headers of a request that intake needs, read in one pass, which costs less than asking for each by name, and which sees what
 * asking by name does not: uWebSockets.js takes the first of two lengths and any transfer encoding for `chunked`. A proxy in front
 * may take the other one, and then the rest of one client's body is read as another client's request (RFC 9112 §6.3, §11.2).
 */
import type { HttpRequest } from 'uWebSockets.js'

export class RequestHeaders {
  contentEncoding = ''
  /** As it was sent; empty when there is none. */
  contentLength = ''
  sentryAuth = ''
  authorization = ''
  forwardedFor = ''
  origin = ''
  /** Where the body ends is not certain: two lengths, an empty one, a transfer encoding that is not `chunked`. */
  isAmbiguous = false
  #lengthCount = 0
  #transferEncodingCount = 0

  constructor(req: Pick<HttpRequest, 'forEach'>) {
    // biome-ignore lint/suspicious/useIterableCallbackReturn: not an array's forEach.
    req.forEach((name, value) => this.#take(name, value))
  }

  /** Of a repeated header the first counts, as `getHeader` has it. */
  #take(name: string, value: string): void {
    switch (name) {
      case 'content-length':
        if (this.#lengthCount === 0) this.contentLength = value
        // The same length twice is one length (RFC 9110 §8.6).
        if (value === '' || value !== this.contentLength) this.isAmbiguous = true
        this.#lengthCount += 1
        return
      case 'transfer-encoding':
        this.#transferEncodingCount += 1
        if (value.toLowerCase() !== 'chunked' || this.#transferEncodingCount > 1) {
          this.isAmbiguous = true
        }
        return
      case 'content-encoding':
        this.contentEncoding ||= value
        return
      case 'x-sentry-auth':
        this.sentryAuth ||= value
        return
      case 'authorization':
        this.authorization ||= value
        return
      case 'x-forwarded-for':
        // A proxy may add a line of its own below the client's.
        this.forwardedFor = this.forwardedFor === '' ? value : `${this.forwardedFor}, ${value}`
        return
      case 'origin':
        this.origin ||= value
    }
  }
}
