/**
 * Reads the time of an event from the client's claim, which may come from a clock that is hours
 * off, or from a phone that was offline for days. The time of receipt is used as the current time,
 * so the result is the same when the event is digested again.
 */
import type { Draft } from './draft.ts'
import type { Notes } from './values/notes.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** The network and the client's own queue explain a smaller drift. */
export const driftMsMin = 55 * minuteMs
export const futureMsMax = minuteMs
export const ageMsMax = 30 * dayMs
/** 9999-12-31T23:59:59.999Z, the last time whose year has four digits. */
const timeMsMax = 253_402_300_799_999

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

const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?)? ?(?:([Zz]|UTC)|([+-])(\d{2}):?(\d{2})?)?$/

/**
 * Returns milliseconds since 1970 for a number of seconds, its text, or an RFC 3339 time (UTC when
 * it has no zone). Undefined for anything else.
 */
export function readTimestamp(value: unknown): number | undefined {
  if (typeof value === 'number') return inRange(Math.round(value * 1000))
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (text.length > 64) return undefined
  if (/^\d{1,12}(?:\.\d{1,12})?$/.test(text)) return inRange(Math.round(Number(text) * 1000))

  const parts = rfc3339.exec(text)
  if (parts === null) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', , sign] = parts
  const offsetMinutes = Number(parts[10] ?? 0) * 60 + Number(parts[11] ?? 0)
  const date = [Number(year), Number(month), Number(day)] as const
  if (!isDate(date) || Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60)
    return undefined
  const utcMs =
    Date.UTC(date[0], date[1] - 1, date[2], Number(hour), Number(minute), Number(second)) +
    Number(fraction.slice(0, 3).padEnd(3, '0'))
  return inRange(utcMs - (sign === '-' ? -1 : 1) * offsetMinutes * minuteMs)
}

/**
 * `Date.UTC` accepts February 30 as March 1 or 2, and takes years below 100 as of the 20th century.
 */
function isDate([year, month, day]: readonly [number, number, number]): boolean {
  const date = new Date(Date.UTC(year, month - 1, day))
  return (
    date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  )
}

function inRange(timeMs: number): number | undefined {
  return 0 <= timeMs && timeMs <= timeMsMax ? timeMs : undefined
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
