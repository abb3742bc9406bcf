/** The periods that units are counted in, by the clock of the process that received the event. */
import { quotaRetryAfterSecondsMax } from '#schemas/limits.ts'

export interface QuotaPeriod {
  /** First day of the month (UTC) in the form of Postgres: `2026-11-01`. */
  readonly name: string
  readonly startMs: number
  /** First millisecond after the month. */
  readonly endMs: number
}

export function quotaPeriodAt(nowMs: number): QuotaPeriod {
  const now = new Date(nowMs)
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  const startMs = Date.UTC(year, month, 1)
  const name = new Date(startMs).toISOString().slice(0, 10)
  return { name, startMs, endMs: Date.UTC(year, month + 1, 1) }
}

export const minuteMs = 60_000

/** First millisecond of the minute. */
export function minuteAt(nowMs: number): number {
  return nowMs - (nowMs % minuteMs)
}

/** Whole seconds until the period ends, capped so that a raised limit takes effect soon. */
export function retryAfterSeconds(nowMs: number, endMs: number): number {
  const seconds = Math.ceil((endMs - nowMs) / 1000)
  return Math.min(Math.max(1, seconds), quotaRetryAfterSecondsMax)
}
