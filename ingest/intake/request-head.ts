import type { Credentials } from '../auth/read-credentials.ts'
import type { BodyEncoding } from '../body/body-encoding.ts'
import type { BodyFormat } from './body-format.ts'

/** The parts of a request that are known before its body arrives. */
export interface RequestHead {
  readonly format: BodyFormat
  readonly projectText: string
  readonly credentials: Credentials
  /** Undefined when `Content-Encoding` names one that is not supported. */
  readonly encoding: BodyEncoding | undefined
  /** Declared length in bytes; 0 when the body is chunked. */
  readonly contentLength: number
  /** All `X-Forwarded-For` lines joined with commas; empty when no proxy is trusted. */
  readonly forwardedFor: string
  /** `Origin`, which browsers send and servers do not; empty when absent. */
  readonly origin: string
}
