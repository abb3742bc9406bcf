/**
 * Converts between instants and local time in a zone of the tz database. A local time is
 * represented by the milliseconds at which a UTC clock shows the same digits, so that calendar
 * arithmetic needs no second set of functions.
 */

const dayMs = 86_400_000
const minuteMs = 60_000
const formatsMax = 2_000
const formats = new Map<string, Intl.DateTimeFormat>()

export function localTime(zone: string, instantMs: number): number {
  return instantMs + offsetMs(zone, instantMs)
}

/**
 * Instant at which a clock in the zone shows this local time. The first of two if the clock was set
 * back; the moment of the change if the clock skips the time.
 */
export function instantOf(zone: string, localMs: number): number {
  // No zone is a day from UTC, so these lie on both sides of the instant.
  const before = offsetMs(zone, localMs - dayMs)
  const after = offsetMs(zone, localMs + dayMs)
  if (before === after) return localMs - before
  if (offsetMs(zone, localMs - before) === before) return localMs - before
  if (offsetMs(zone, localMs - after) === after) return localMs - after
  return changeBetween(zone, localMs - dayMs, localMs + dayMs)
}

/**
 * The first instant, to the minute, with another offset than at `fromMs`; the offset at `toMs`
 * differs.
 */
export function changeBetween(zone: string, fromMs: number, toMs: number): number {
  const offset = offsetMs(zone, fromMs)
  let same = Math.floor(fromMs / minuteMs)
  let other = Math.ceil(toMs / minuteMs)
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2)
    if (offsetMs(zone, middle * minuteMs) === offset) same = middle
    else other = middle
  }
  return other * minuteMs
}

export function offsetMs(zone: string, instantMs: number): number {
  if (zone === 'UTC') return 0
  const seconds = Math.floor(instantMs / 1000) * 1000
  const fields: Record<string, number> = {}
  for (const { type, value } of formatFor(zone).formatToParts(seconds)) fields[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields
  return Date.UTC(year, month - 1, day, hour, minute, second) - seconds
}

function formatFor(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    if (formats.size >= formatsMax) formats.clear()
    formats.set(zone, format)
  }
  return format
}
