/**
 * An event after normalisation: one shape for all clients, every field valid or absent, every list
 * bounded. Grouping, the filters and the stored row read this type and never the client's payload.
 * Absent strings are empty, as a column stores them, except in frames, because they are the frames
 * of the payload itself.
 */
import type { EventId } from '#schemas/ids.ts'
import type { StoredText } from '#schemas/stored-text.ts'
import type { StoredFrame, StoredRequest } from './stored-event.ts'

export const levels = ['fatal', 'error', 'warning', 'info', 'debug'] as const
export type Level = (typeof levels)[number]

export interface NormalizedEvent {
  readonly eventId: EventId
  /** The client's claim in milliseconds since 1970, corrected for clock drift and clamped. */
  readonly occurredAtMs: number
  readonly receivedAtMs: number
  readonly level: Level
  readonly platform: string
  readonly logger: string
  readonly transaction: string
  readonly serverName: string
  readonly release: StoredText
  readonly dist: StoredText
  readonly environment: StoredText
  readonly component: string
  /** `name/version`. */
  readonly sdk: string
  readonly user: EventUser
  /** At most `tagsPerEventMax`, in the order sent. Of equal keys the first is kept. */
  readonly tags: readonly (readonly [key: string, value: string])[]
  readonly message: EventMessage | undefined
  /** Oldest cause first; the last one is the exception that reached the client's handler. */
  readonly exceptions: readonly EventException[]
  readonly threads: readonly EventThread[]
  /** A top-level stack trace that belongs to no exception. */
  readonly frames: readonly Frame[]
  /** Grouping key chosen by the client; undefined when it sent no valid one. */
  readonly fingerprint: readonly string[] | undefined
  readonly checksum: string | undefined
  readonly securityReport: SecurityReport | undefined
  /** Loaded images of a native event; they name frames without symbols. */
  readonly images: readonly NativeImage[]
  readonly request: EventRequest | undefined
  /**
   * JSON text of the `StoredEvent`, which the API returns as `payload`. Well-formed and without
   * NUL.
   */
  readonly payload: string
  /** The `StoredEvent` of `payload`, which alert rules read; absent in events that tests write. */
  readonly inPayload?: object
}

export interface EventUser {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly ip: string
}

export interface EventMessage {
  /** The text with placeholders instead of values, when the client sent one. */
  readonly template: string | undefined
  readonly formatted: string
}

export interface EventException {
  readonly type: string
  readonly value: string
  readonly module: string
  readonly frames: readonly Frame[]
  readonly mechanism: Mechanism | undefined
}

export interface Mechanism {
  readonly type: string
  readonly handled: boolean | undefined
  readonly synthetic: boolean
  readonly exceptionId: number | undefined
  readonly parentId: number | undefined
  readonly isExceptionGroup: boolean
  readonly nsError: { readonly domain: string; readonly code: string } | undefined
  /** Signal or Mach exception of a native crash: `SIGSEGV` with the code `SEGV_MAPERR`. */
  readonly signal: { readonly name: string; readonly code: string } | undefined
}

export interface EventThread {
  readonly id: string
  readonly name: string
  readonly crashed: boolean
  readonly current: boolean
  readonly frames: readonly Frame[]
}

/**
 * Fields of a frame that grouping and the filters read; the object is the frame of the payload.
 * Lists of frames start with the outermost caller and end at the crash.
 */
export type Frame = Pick<
  StoredFrame,
  | 'function'
  | 'module'
  | 'filename'
  | 'abs_path'
  | 'package'
  | 'context_line'
  | 'lineno'
  | 'colno'
  | 'in_app'
  | 'platform'
  | 'instruction_addr'
>

/**
 * The fields of the HTTP request that the filters read; the object is the request of the payload.
 */
export type EventRequest = Pick<StoredRequest, 'url' | 'headers'>

export interface SecurityReport {
  readonly directive: string
  readonly blockedHost: string
}

export interface NativeImage {
  readonly file: string
  readonly addr: bigint
  readonly size: number
}
