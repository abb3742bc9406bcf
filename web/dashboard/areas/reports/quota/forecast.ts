/**
 * The use of a month as lines: what was used by day, and two straight lines to its end, by the mean
 * of the month so far and by that of the last seven days.
 */

const dayMs = 86_400_000

export interface DayCount {
  /** Start of the day in UTC. */
  readonly at: string
  readonly quantity: number
}

export interface ForecastInput {
  readonly periodStart: string
  readonly periodEnd: string
  readonly nowMs: number
  /** Events of the period so far, exact. */
  readonly used: number
  readonly limit: number | null
  /** Accepted events by day, from up to a week before the period. */
  readonly days: readonly DayCount[]
  /** At the end of the period, as the server expects it. */
  readonly byPeriod: number
  readonly byLast7Days: number | null
}

export interface ForecastLine {
  readonly name: string
  readonly color: number
  readonly values: readonly (number | null)[]
}

export interface ForecastLines {
  readonly times: readonly string[]
  readonly lines: readonly ForecastLine[]
}

export function forecastLines(input: ForecastInput): ForecastLines {
  const { periodStart, periodEnd, nowMs, used, limit, days } = input
  const startMs = Date.parse(periodStart)
  const endMs = Date.parse(periodEnd)
  const counts = new Map(days.map(({ at, quantity }) => [at.slice(0, 10), quantity]))
  // Today's place is now: the day is not over yet.
  const places: number[] = []
  for (let atMs = startMs; atMs < nowMs; atMs += dayMs) places.push(atMs)
  places.push(Math.min(nowMs, endMs))
  const now = places.length - 1
  for (let atMs = (Math.floor(nowMs / dayMs) + 1) * dayMs; atMs <= endMs; atMs += dayMs) {
    places.push(atMs)
  }
  let sum = 0
  const sums = places.slice(0, now + 1).map((atMs, index) => {
    if (index > 0) {
      sum += counts.get(new Date(places[index - 1] ?? atMs).toISOString().slice(0, 10)) ?? 0
    }
    return sum
  })
  // Days are counted by their outcomes and the total by the quota: they end at the same number.
  const scale = sum === 0 ? 0 : used / sum
  const usedValues = places.map((_, index) => {
    if (index > now) return null
    return index === now ? used : Math.round((sums[index] ?? 0) * scale)
  })
  const toEnd = (atEnd: number) =>
    places.map((atMs, index) => {
      if (index < now) return null
      const share =
        endMs === places[now] ? 1 : (atMs - (places[now] ?? 0)) / (endMs - (places[now] ?? 0))
      return used + (atEnd - used) * share
    })
  return {
    times: places.map((atMs) => new Date(atMs).toISOString()),
    lines: [
      { name: 'Used', color: 1, values: usedValues },
      { name: 'At the rate of the month', color: 2, values: toEnd(input.byPeriod) },
      ...(input.byLast7Days === null
        ? []
        : [{ name: 'At the rate of 7 days', color: 5, values: toEnd(input.byLast7Days) }]),
      ...(limit === null ? [] : [{ name: 'Limit', color: 4, values: places.map(() => limit) }]),
    ],
  }
}

export type QuotaState = 'unlimited' | 'fine' | 'tight' | 'near' | 'used'

/** `near`: 80 percent are used; `tight`: the forecast passes the limit. */
export function quotaState(
  used: number,
  limit: number | null,
  limitReachedAt: string | null,
): QuotaState {
  if (limit === null) return 'unlimited'
  if (used >= limit) return 'used'
  if (used >= limit * 0.8) return 'near'
  return limitReachedAt === null ? 'fine' : 'tight'
}
