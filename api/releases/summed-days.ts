/** Divides a period into days whose sums are read, and hours whose sessions are. Pure. */
import { daySeconds, hourSeconds } from '#schemas/releases/session-days.ts'

/** A whole version of the sums of a day of a project. */
export interface SummedDay {
  /** Days since 1970. */
  readonly day: number
  readonly version: number
}

/** Seconds since 1970 on whole hours; the end is not part of it. */
export interface Span {
  readonly since: number
  readonly until: number
}

/** The hours of a period: a session belongs to the hour in which it started. */
export function hoursOf({ sinceMs, untilMs }: { sinceMs: number; untilMs: number }): Span {
  const hour = (ms: number) => Math.ceil(Math.ceil(ms / 1000) / hourSeconds) * hourSeconds
  return {
    since: Math.ceil(Math.floor(sinceMs / 1000) / hourSeconds) * hourSeconds,
    until: hour(untilMs),
  }
}

/** The parts of a period that are not in summed days, earliest first. */
export function outside(period: Span, summed: readonly SummedDay[]): Span[] {
  const spans: Span[] = []
  let { since } = period
  for (const day of summed.map((one) => one.day).sort((a, b) => a - b)) {
    const start = day * daySeconds
    if (since < Math.min(start, period.until)) {
      spans.push({ since, until: Math.min(start, period.until) })
    }
    since = Math.max(since, start + daySeconds)
  }
  if (since < period.until) spans.push({ since, until: period.until })
  return spans
}

/**
 * The part of a period whose days are summed as a whole; the hours beside it are summed by hour. It
 * is empty if the period contains no whole day, or if buckets are narrower than a day.
 */
export function wholeDays(period: Span, stepSeconds: number | undefined): Span {
  const since = Math.ceil(period.since / daySeconds) * daySeconds
  const until = Math.floor(period.until / daySeconds) * daySeconds
  const fits = stepSeconds === undefined || stepSeconds % daySeconds === 0
  return fits && since < until ? { since, until } : { since: period.since, until: period.since }
}
