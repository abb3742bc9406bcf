/**
 * An event after normalisation: every shape that clients send has become one, every field is valid or
 * absent, every list is bounded. Grouping, the stored row and the API read this and never the wire.
 */
import type { EventId } from '#schemas/ids.ts'
import type { StoredText } from '#schemas/stored-text.ts'

export const levels = ['fatal', 'error', 'warning', 'info', 'debug'] as const
export type Level = (typeof levels)[number]

export interface NormalizedEvent {
  readonly eventId: EventId
  /** The client's claim, corrected for clock drift and clamped. Milliseconds. */
  readonly occurredAtMs: number
  readonly receivedAtMs: number
  readonly level: Level
  readonly platform: string
  /** Empty strings mean absent, here and below: that is how a column stores them. */
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
  /** At most `tagsPerEventMax`, first of equal keys, in the order sent. */
  readonly tags: readonly (readonly [key: string, value: string])[]
  readonly message: EventMessage | undefined
  /** Oldest first: the last one is the one that was thrown to the top. */
  readonly exceptions: readonly EventException[]
  readonly threads: readonly EventThread[]
  /** A top-level stack trace that belongs to no exception. */
  readonly frames: readonly Frame[]
  /** As sent, made strings; undefined where the client sent none that is valid. */
  readonly fingerprint: readonly string[] | undefined
  readonly checksum: string | undefined
  readonly securityReport: SecurityReport | undefined
  /** Loaded images of a native event, for frames without symbols. */
  readonly images: readonly NativeImage[]
  /** JSON text of the whole normalised event: what the API returns as `payload`. Well-formed UTF-8, no NUL. */
  readonly payload: string
}

export interface EventUser {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly ip: string
}

export interface EventMessage {
  /** The template, where the client sent one: it has no values in it. */
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
}

export interface EventThread {
  readonly id: string
  readonly name: string
  readonly crashed: boolean
  readonly current: boolean
  readonly frames: readonly Frame[]
}

/** Outermost caller first in every list, crash site last. Absent strings are empty, absent numbers 0. */
export interface Frame {
  readonly function: string
  readonly module: string
  readonly filename: string
  readonly absPath: string
  readonly package: string
  readonly contextLine: string
  readonly lineno: number
  readonly colno: number
  /** Undefined: the client did not say, grouping decides by its list. */
  readonly inApp: boolean | undefined
  /** The frame's own platform where it differs from the event's. */
  readonly platform: string
  /** `0x…` in lowercase hex. */
  readonly instructionAddr: string
}

export interface SecurityReport {
  readonly directive: string
  readonly blockedHost: string
}

export interface NativeImage {
  readonly file: string
  readonly addr: bigint
  readonly size: number
}
