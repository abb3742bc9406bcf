/** The spans that units are counted in. Both are named by the clock of the process that received the event. */
export interface QuotaPeriod {
  /** First day of the month (UTC), as Postgres writes it: `2026-11-01`. */
  readonly name: string
  readonly startMs: number
  /** The first millisecond after it. */
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
