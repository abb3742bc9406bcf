/** Parses times in the notations that exports of newsletter services use. */

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)? ?(?:(Z|UTC)|([+-])(\d{2}):?(\d{2})?(?: [A-Z]{1,5}| [+-]\d{2,4})?)?$/
const earliestMs = Date.UTC(1970, 0, 1)
const dayMs = 86_400_000

/**
 * Parses ISO 8601, also with a blank instead of the T, in UTC unless an offset is given. Undefined
 * for other texts, and for times before 1970 or more than a day in the future.
 */
export function readTime(text: string, now: Date): Date | undefined {
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', , sign, ...of] =
    pattern.exec(text) ?? []
  if (year === undefined) return undefined
  const parts = [Number(year), Number(month) - 1, Number(day)] as const
  const [h, m, s] = [Number(hour), Number(minute), Number(second)]
  const at = new Date(Date.UTC(...parts, h, m, s, Number(fraction.slice(0, 3).padEnd(3, '0'))))
  const isReal =
    at.getUTCFullYear() === parts[0] &&
    at.getUTCMonth() === parts[1] &&
    at.getUTCDate() === parts[2]
  const [offsetHours = '0', offsetMinutes = '0'] = of
  if (!isReal || h > 23 || m > 59 || s > 59 || Number(offsetHours) > 18) return undefined
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000
  const atMs = at.getTime() - (sign === '-' ? -offsetMs : offsetMs)
  return earliestMs <= atMs && atMs <= now.getTime() + dayMs ? new Date(atMs) : undefined
}

/** Whether a cell looks like a date in any notation. MySQL's zero date does not count. */
export function looksLikeDate(text: string): boolean {
  return /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:\D|$)/.test(text) && !text.startsWith('0000')
}
