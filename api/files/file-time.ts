/**
 * Parses times in files, with or without a time of day, a zone or a fraction. Default zone: UTC.
 */

const numeric =
  /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:(?:T|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i
const named =
  /^(?:[A-Za-z]{3},?\s+)?(?:[A-Za-z]{3,9}\.?\s+\d{1,2}|\d{1,2}\s+[A-Za-z]{3,9}\.?),?\s+\d{4}\b[\w\s:.,+]{0,30}$/
const dayMs = 86_400_000
const offsetHoursMax = 15
/** Numbers from here on are milliseconds since 1970, which some services export. */
const epochMsMin = 100_000_000_000

export const fileTimeRule =
  'must be a time such as 2024-05-31 or 2024-05-31T12:00:00Z, between 1970 and now'

/** Returns ISO 8601 in UTC with microseconds; undefined unless between 1970 and tomorrow. */
export function parseFileTime(value: unknown, now: Date): string | undefined {
  if (typeof value === 'number' && epochMsMin <= value) return withinRange(value, '000', now)
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  const parts = numeric.exec(text)
  if (parts === null) {
    return named.test(text) ? withinRange(Date.parse(zoned(text)), '000', now) : undefined
  }
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] =
    parts
  const [y, m, d, h, min, s] = [year, month, day, hour, minute, second].map(Number) as [
    ...[number, number, number, number, number, number],
  ]
  const date = new Date(Date.UTC(y, m - 1, d, h, min, s))
  const isReal =
    date.getUTCMonth() === m - 1 && date.getUTCDate() === d && h <= 23 && min <= 59 && s <= 59
  const offsetMs = offsetOf(zone)
  if (!isReal || offsetMs === undefined) return undefined
  const digits = fraction.padEnd(6, '0')
  return withinRange(
    date.getTime() - offsetMs + Number(digits.slice(0, 3)),
    digits.slice(3, 6),
    now,
  )
}

/** Adds UTC, because `Date.parse` reads a time without a zone as local time. */
function zoned(text: string): string {
  return /(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text} UTC`
}

function offsetOf(zone: string): number | undefined {
  const parts = /^([+-])(\d{2}):?(\d{2})$/.exec(zone)
  if (parts === null) return 0
  const [hours, minutes] = [Number(parts[2]), Number(parts[3])]
  if (offsetHoursMax < hours || 59 < minutes) return undefined
  return (parts[1] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

function withinRange(ms: number, microseconds: string, now: Date): string | undefined {
  if (!(0 <= ms && ms <= now.getTime() + dayMs)) return undefined
  return new Date(ms).toISOString().replace('Z', `${microseconds}Z`)
}
