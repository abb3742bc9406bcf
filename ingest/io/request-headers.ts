/**
 * The headers that intake needs, read in one pass, which costs less than reading each by name. It
 * also detects ambiguous framing: uWebSockets.js uses the first of two lengths and treats any
 * transfer encoding as `chunked`. A proxy in front may use the other length, and then the rest of
 * one client's body would be read as another client's request (RFC 9112 §6.3, §11.2).
 */
import type { HttpRequest } from 'uWebSockets.js'

export class RequestHeaders {
  contentEncoding = ''
  /** The header's text; empty when absent. */
  contentLength = ''
  sentryAuth = ''
  authorization = ''
  forwardedFor = ''
  origin = ''
  /**
   * The end of the body is uncertain: two lengths, an empty one, or a transfer encoding other than
   * `chunked`.
   */
  isAmbiguous = false
  #lengthCount = 0
  #transferEncodingCount = 0

  constructor(req: Pick<HttpRequest, 'forEach'>) {
    // biome-ignore lint/suspicious/useIterableCallbackReturn: not an array's forEach.
    req.forEach((name, value) => this.#take(name, value))
  }

  /** The first of repeated headers counts, as in `getHeader`. */
  #take(name: string, value: string): void {
    switch (name) {
      case 'content-length':
        if (this.#lengthCount === 0) this.contentLength = value
        // Two equal lengths count as one (RFC 9110 §8.6).
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
        // A proxy may add a line of its own after the client's.
        this.forwardedFor = this.forwardedFor === '' ? value : `${this.forwardedFor}, ${value}`
        return
      case 'origin':
        this.origin ||= value
    }
  }
}
