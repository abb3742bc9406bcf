/**
 * Quiet hours of a rule, in the time zone that it names. They begin on a day and may end on the
 * next one. When clocks are set forward over an end or a beginning, it is the moment of the change;
 * when they are set back, the first of the two.
 */
import type { QuietHours } from '#schemas/rest/alerts/alert.ts'
import { instantOf, localTime } from '../monitors/zoned-time.ts'

const dayMs = 86_400_000

/** Returns when they end; undefined if it is not quiet at `nowMs`. */
export function quietUntil(quiet: QuietHours | null, nowMs: number): number | undefined {
  // The same time twice would be quiet for ever.
  if (quiet === null || quiet.from === quiet.to) return undefined
  const { timezone } = quiet
  let today: number
  try {
    today = Math.floor(localTime(timezone, nowMs) / dayMs) * dayMs
  } catch {
    // A zone that this machine's database does not have. A late night is better than silence.
    return undefined
  }
  const from = timeOfDay(quiet.from)
  const to = timeOfDay(quiet.to)
  // Those that began yesterday may not have ended.
  for (const day of [today - dayMs, today]) {
    if (quiet.days !== undefined && !quiet.days.includes(weekdayOf(day))) continue
    const begin = instantOf(timezone, day + from)
    const end = instantOf(timezone, to > from ? day + to : day + dayMs + to)
    if (begin <= nowMs && nowMs < end) return end
  }
  return undefined
}

/** Milliseconds since midnight. */
function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return (hours * 60 + minutes) * 60_000
}

/** Monday is 1. */
function weekdayOf(localMidnightMs: number): number {
  return ((Math.floor(localMidnightMs / dayMs) + 3) % 7) + 1
}
