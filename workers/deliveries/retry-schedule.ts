/** When a delivery is attempted again, and when that ends. Pure functions. */
import { createHash } from 'node:crypto'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** Time between an attempt and the next one. The last entry repeats. */
export const retryDelaysMs: readonly number[] = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  3 * hourMs,
  6 * hourMs,
  12 * hourMs,
]
/** No attempt begins later than this after the delivery was created or replayed. */
export const retryWindowMs = 72 * hourMs
/** A receiver cannot postpone an attempt for longer. */
const retryAfterMsMax = 24 * hourMs
/** Attempts are spread by up to this share of their delay. */
const jitter = 0.1

export interface FailedAttempt {
  /** Spreads the attempts of different deliveries; the same for the same delivery. */
  readonly id: string
  /** Attempts so far, with the one that failed. */
  readonly attemptCount: number
  readonly nowMs: number
  /** When the delivery was created or replayed. */
  readonly sinceMs: number
  /** What the receiver asked for. */
  readonly retryAfterMs: number | undefined
}

/** The time of the next attempt; undefined if there is none. */
export function nextAttemptMs(failed: FailedAttempt): number | undefined {
  const { id, attemptCount, nowMs, sinceMs, retryAfterMs = 0 } = failed
  const delayMs = retryDelaysMs[Math.min(attemptCount, retryDelaysMs.length) - 1]!
  const spreadMs = delayMs * (1 + jitter * fraction(`${id} ${attemptCount}`))
  const nextMs = nowMs + Math.round(Math.max(spreadMs, retryAfterMs))
  return nextMs <= sinceMs + retryWindowMs ? nextMs : undefined
}

/** From 0 to 1, as if random, and the same for the same text. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 0xffffffff
}

/**
 * Milliseconds that a `Retry-After` header asks for: seconds or a date (RFC 9110 §10.2.3), at most
 * a day. Undefined if the header has neither.
 */
export function readRetryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? ''
  const seconds = /^\d{1,12}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined
  const ms = seconds === undefined ? readDateMs(text) - nowMs : seconds * secondMs
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), retryAfterMsMax)
}

/** Only dates with the name of a month: `Date.parse` reads numbers as years. */
function readDateMs(text: string): number {
  return /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(text) ? Date.parse(text) : Number.NaN
}
