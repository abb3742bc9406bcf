/** Times as clients write them. */

const minuteMs = 60_000
/** 9999-12-31T23:59:59.999Z, the last time whose year has four digits. */
const timeMsMax = 253_402_300_799_999

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
