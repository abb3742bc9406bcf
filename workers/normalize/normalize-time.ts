/**
 * Reads the time of an event from the client's claim, which may come from a clock that is hours
 * off, or from a phone that was offline for days. The time of receipt is used as the current time,
 * so the result is the same when the event is digested again.
 */
import type { Draft } from './draft.ts'
import type { Notes } from './values/notes.ts'
import { readTimestamp } from './values/read-timestamp.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** The network and the client's own queue explain a smaller drift. */
export const driftMsMin = 55 * minuteMs
export const futureMsMax = minuteMs
export const ageMsMax = 30 * dayMs

export function normalizeTime(draft: Draft): void {
  const { raw, sent, notes, event, stored } = draft
  const { receivedAtMs } = raw
  const driftMs = clockDriftMs(receivedAtMs, raw.sentAt)
  draft.clockDriftMs = driftMs
  event.occurredAtMs = readOccurredAt({
    timestamp: sent.timestamp,
    receivedAtMs,
    driftMs,
    notes,
  })
  stored.timestamp = isoTime(event.occurredAtMs)
  stored.received = isoTime(receivedAtMs)
}

export interface ClaimedTime {
  readonly timestamp: unknown
  readonly receivedAtMs: number
  readonly driftMs: number
  readonly notes: Notes
}

export function readOccurredAt({ timestamp, receivedAtMs, driftMs, notes }: ClaimedTime): number {
  if (timestamp === undefined || timestamp === null) return receivedAtMs
  const claimedMs = readTimestamp(timestamp)
  if (claimedMs === undefined) {
    notes.add('timestamp', 'not a time: set to the time of receipt')
    return receivedAtMs
  }
  const occurredAtMs = claimedMs + driftMs
  if (driftMs !== 0) notes.add('timestamp', 'corrected for the drift of the client clock')
  if (occurredAtMs > receivedAtMs + futureMsMax) {
    notes.add('timestamp', 'in the future: set to the time of receipt')
    return receivedAtMs
  }
  if (occurredAtMs < receivedAtMs - ageMsMax) {
    notes.add('timestamp', 'more than 30 days old: set to the time of receipt')
    return receivedAtMs
  }
  return occurredAtMs
}

/**
 * Milliseconds that the client's clock is behind the server's; 0 when that is unknown or small.
 */
export function clockDriftMs(receivedAtMs: number, sentAt: unknown): number {
  const sentAtMs = readTimestamp(sentAt)
  if (sentAtMs === undefined) return 0
  const driftMs = receivedAtMs - sentAtMs
  return Math.abs(driftMs) >= driftMsMin ? driftMs : 0
}

/**
 * Texts of recent seconds by their last digits, because the events of a range and their breadcrumbs
 * name the same few seconds.
 */
const keptSeconds = 256
const seconds = new Float64Array(keptSeconds).fill(Number.NaN)
const secondTexts: string[] = Array.from({ length: keptSeconds }, () => '')
const fractions = Array.from({ length: 1000 }, (_, ms) => `.${`${ms}`.padStart(3, '0')}Z`)

/** The same text as `Date.prototype.toISOString` for whole milliseconds, but faster. */
export function isoTime(timeMs: number): string {
  const second = Math.floor(timeMs / 1000)
  const slot = second & (keptSeconds - 1)
  if (seconds[slot] !== second) {
    const text = new Date(second * 1000).toISOString()
    secondTexts[slot] = text.slice(0, text.indexOf('.'))
    seconds[slot] = second
  }
  return secondTexts[slot]! + fractions[timeMs - second * 1000]!
}
