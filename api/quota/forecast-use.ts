/**
 * The use of a quota at the end of its period, by two rates: the mean of the period so far, and
 * that of the last seven days. The higher one counts, because a warning too many costs less than
 * one too few. It is an extrapolation, no model of weekdays or seasons.
 */
import type { QuotaForecast } from '#schemas/rest/quota.ts'

const dayMs = 86_400_000
export const recentDays = 7

export interface QuotaUse {
  readonly used: number
  readonly limit: number | null
  readonly startMs: number
  readonly endMs: number
  readonly nowMs: number
  /** Accepted events of the last seven days; undefined if they could not be counted. */
  readonly recentEvents: number | undefined
}

export function forecastUse(use: QuotaUse): QuotaForecast {
  const { used, limit, startMs, endMs, nowMs, recentEvents } = use
  const leftMs = Math.max(0, endMs - nowMs)
  // The first hours of a month say little about the rest of it.
  const periodRate = used / Math.max(dayMs, nowMs - startMs)
  const recentRate = (recentEvents ?? 0) / (recentDays * dayMs)
  const rate = Math.max(periodRate, recentRate)
  const atEnd = (perMs: number) => Math.round(used + perMs * leftMs)
  return {
    events: atEnd(rate),
    by_period: atEnd(periodRate),
    by_last_7_days: recentEvents === undefined ? null : atEnd(recentRate),
    limit_reached_at: limitReachedAt({ used, limit, rate, nowMs, endMs }),
  }
}

function limitReachedAt(use: {
  readonly used: number
  readonly limit: number | null
  readonly rate: number
  readonly nowMs: number
  readonly endMs: number
}): string | null {
  const { used, limit, rate, nowMs, endMs } = use
  if (limit === null) return null
  if (limit <= used) return new Date(nowMs).toISOString()
  const atMs = nowMs + (limit - used) / rate
  return atMs < endMs ? new Date(atMs).toISOString() : null
}
