/** The periods that units are counted in, by the clock of the process that received the event. */
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
